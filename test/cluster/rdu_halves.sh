#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Half-RDU jobs fill a node: 16 of them run at once, each on its own four tiles; a 17th and a whole RDU wait.
. "$(dirname "$0")/lib.sh"

jobs=()
for _ in {1..16}; do
	jobs+=("$(ann sbatch --parsable -o 'half-%j' -w sn30-r1-h1 --gres=rdu_tile:4 \
		--wrap 'echo $SF_RNT_TILE_AFFINITY; until [ -e go ]; do sleep 0.1; done')")
done
for job in "${jobs[@]}"; do reaches "$job" RUNNING; done
said_mask() { [ -s "$(home ann)/half-$1" ]; }
for job in "${jobs[@]}"; do await "job $job says its mask" said_mask "$job"; done
is 'all tiles, each once' "$(for i in {0..15}; do printf '0x%016x\n' $((0xf << (4 * i))); done | sort)" \
	"$(cat "$(home ann)"/half-* | sort)"
is 'rows' 16 "$(rows sn30-r1-h1 | wc -l)"

# The counters say that the node is full, for parts and for whole RDUs.
part=$(bob sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu_tile:1 --wrap true)
whole=$(bob sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu:1 --wrap true)
waits() { run squeue -hj "$1" -o '%T %r' | grep -qE '^PENDING (Resources|Priority)'; }
await 'a part waits' waits "$part"
await 'a whole RDU waits' waits "$whole"
touch "$(home ann)/go"
reaches "$part" COMPLETED
reaches "$whole" COMPLETED
rm -f "$(home ann)"/half-* "$(home ann)/go"
