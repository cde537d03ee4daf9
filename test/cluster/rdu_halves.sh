#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Half-RDU jobs fill a node: 16 run at once, each on its own four tiles. A 17th job and a job of a
# whole RDU wait.
. "$(dirname "$0")/lib.sh"

jobs=()
for _ in {1..16}; do
	jobs+=("$(ann sbatch --parsable -o 'half-%j' -w sn30-r1-h1 --gres=rdu_tile:4 \
		--wrap 'echo $SF_RNT_TILE_AFFINITY; until [ -e go ]; do sleep 0.1; done')")
done
for job in "${jobs[@]}"; do reaches "$job" RUNNING; done
said_mask() { [ -s "$(home ann)/half-$1" ]; }
for job in "${jobs[@]}"; do await "job $job has printed its mask" said_mask "$job"; done
is 'each tile is allocated once' "$(for i in {0..15}; do printf '0x%016x\n' $((0xf << (4 * i))); done | sort)" \
	"$(cat "$(home ann)"/half-* | sort)"
is 'the ledger has 16 rows' 16 "$(rows sn30-r1-h1 | wc -l)"

# Slurm's counts show a full node, for parts and for whole RDUs.
part=$(bob sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu_tile:1 --wrap true)
whole=$(bob sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu:1 --wrap true)
for_resources() { [ "$(run squeue -hj "$1" -o '%T %r')" = 'PENDING Resources' ]; }
await 'the 17th job waits for resources' for_resources "$part"
is 'the job of a whole RDU waits' PENDING "$(state_of "$whole")"
touch "$(home ann)/go"
reaches "$part" COMPLETED
reaches "$whole" COMPLETED
rm -f "$(home ann)"/half-* "$(home ann)/go"
