#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where Slurm authenticates by itself (AuthType=auth/slurm) and there is no munged, jobs run without a
# grant. slurmd says so once, when it starts, and no step does; doctor says that grants need munge.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

needs_slurm 24.05
other=$TESSERA_LAB.auth
node=sn30-r1-h1
trap 'LAB_QUIET=1 "$lab" -d "$other" down 2>/dev/null' EXIT
there() { TESSERA_LAB=$other "$lab" "$@"; }
said() { grep 'tessera: .*grant\|tessera: .*GRANT' "$other/log/$node.log"; }

fine env LAB_AUTH=slurm TESSERA_LAB="$other" "$lab" up --nodes sn30:1
is 'Slurm authenticates by itself' auth/slurm "$(there run scontrol show config | sed -n 's/^AuthType *= //p')"
await 'slurmd says that grants need munge' said >/dev/null
like 'what it says' 'jobs run without TESSERA_GRANT: grants need munge, and auth/slurm is in use: munged at .* does not respond' "$(said)"

for _ in 1 2; do
	is 'a job has its tiles and no grant' '0x00000000000000ff <>' \
		"$(there as tess-ann srun -Q --gres=rdu:1 sh -c 'echo "$SF_RNT_TILE_AFFINITY <$TESSERA_GRANT>"' 2>&1)"
done
is 'no step says it again' 1 "$(said | wc -l)"

found=$(there run tessera doctor --node=$node)
like 'doctor says why' 'warning: .*jobs run without TESSERA_GRANT: grants need munge, and Slurm uses auth/slurm' "$found"
like 'doctor says what to write' '^    write: Grants = no, or have munge on every node with grants$' "$found"
unlike 'doctor does not advise to start munge' 'systemctl start munge' "$found"
