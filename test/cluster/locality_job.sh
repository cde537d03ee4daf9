#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job gets RDUs that are NUMA-local to its cores while such are free. Without a usable locality
# table it gets the lowest RDUs, and no job fails.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h2
conf=$TESSERA_LAB/etc/tessera.conf
table=$TESSERA_LAB/state/$node/locality
log=$TESSERA_LAB/log/$node.log
cp "$conf" "$conf.saved"
put_back() {
	run scancel --quiet --user=tess-ann
	run scancel --quiet --user=tess-bob
	rewrite "$conf" cat "$conf.saved"
	rm "$conf.saved"
	LAB_QUIET=1 "$lab" restart $node
	await 'the table is empty again' unknown
}
trap put_back EXIT
unknown() { [ -e "$table" ] && ! grep -q '^rdu' "$table"; }
write() { run tessera topology --write --node=$node --conf="$conf" "$@"; }
mask_of() { ann srun -w $node --gres="$1" "${@:2}" printenv SF_RNT_TILE_AFFINITY; }

is 'the table is empty at first' '' "$(grep '^rdu' "$table")"
rewrite "$conf" with_lines "$conf.saved" 'platform sn30-8 { Numa = "0,1" }'
fine "$lab" restart $node
known() { grep -q '^rdu 4-7 distances 20,10$' "$table"; }
await "slurmd writes the table at its start" known
like 'the table is printed' '^ +1 64-127 +64-127 +rdu4-7$' "$(run tessera topology --node=$node --conf="$conf" --synthetic='pack:2 numa:1 core:64 pu:1')"

# All cores of the first socket are allocated: the next jobs have cores of the second.
first=$(bob sbatch --parsable -o /dev/null -w $node -n1 -c64 --wrap 'sleep 600')
reaches "$first" RUNNING
like "the first job has the cores of the first socket" 'CPU_IDs=0-63 ' "$(run scontrol -d show job "$first")"
is 'one RDU is NUMA-local' 0x000000ff00000000 "$(mask_of rdu:1)"
is 'two RDUs are of one XRDU' 0x0000ffff00000000 "$(mask_of rdu:2)"
is 'half an RDU is NUMA-local' 0x0000000f00000000 "$(mask_of rdu_tile:4)"
is 'a wish has precedence' 0x00000000000000ff "$(mask_of rdu:1 --tile-affinity=rdu0)"
is 'a job larger than the NUMA-local RDUs gets all' 0xffffffffffffffff "$(mask_of rdu:8)"
local_job=$(bob sbatch --parsable -o /dev/null -w $node --gres=rdu:4 --wrap 'sleep 600')
has_row() { rows $node | grep -q "^job $1 .* tiles $2 "; }
await 'the NUMA-local RDUs are allocated' has_row "$local_job" 32-63
is 'a job gets other RDUs when those are allocated' 0x00000000000000ff "$(mask_of rdu:1)"
fine run scancel "$local_job"
await 'the tiles are released' no_rows

# On two nodes each prolog uses the cores of its own node: the first has half of them on each
# socket.
# shellcheck disable=SC2016
is 'each node uses its own cores' 'sn30-r1-h1 0x00000000000000ff sn30-r1-h2 0x000000ff00000000' \
	"$(ann srun -N2 -n2 -c64 --gres=rdu:1 sh -c 'echo $SLURMD_NODENAME $SF_RNT_TILE_AFFINITY' | sort | xargs)"

# as_if_unknown WHAT: the job runs and has the lowest RDU.
as_if_unknown() {
	is "$1: the job has the lowest RDU" 0x00000000000000ff "$(mask_of rdu:1)"
	is "$1: the node stays available" '' "$(run sinfo -h -n $node -t drain,down -o %N)"
}
good=$(<"$table")
# put TEXT: write TEXT as the table.
put() { printf '%s\n' "$1" >"$table"; }
told() { tail -c "+$mark" "$log" | grep -c 'cannot read the RDU locality table, ignoring NUMA placement'; }

mark=$(stat -c %s "$log")
rm "$table"
as_if_unknown 'no table'
put "${good/boot ????????/boot 00000000}"
as_if_unknown 'the table of an earlier boot'
put "${good/sn30-8/sn40l-16}"
as_if_unknown 'the table of another platform'
fine write --synthetic='pack:2 numa:1 core:3 pu:1'
as_if_unknown "cores that are not Slurm's"
refused write --synthetic='core:128 pu:1'
like 'a NUMA node that does not exist is refused' 'has no NUMA node 1' "$said"
as_if_unknown 'RDUs that are nowhere'
is 'nothing is logged for a missing table' 0 "$(told)"
put "${good/end 4/end 5}"
as_if_unknown 'a damaged table'
is 'one line is logged for a damaged table' 1 "$(told)"
put "$good"
chmod 666 "$table"
as_if_unknown "anybody's table"
is "one line is logged for a table with a wrong owner" 2 "$(told)"
chmod 644 "$table"
is 'the restored table is used' 0x000000ff00000000 "$(mask_of rdu:1)"

# A missing program for the table: slurmd starts and logs it.
fine run scancel "$first"
rewrite "$conf" sed 's|^TopologyCommand.*|TopologyCommand = "/nonexistent topology"\nplatform sn30-8 { Numa = "0,1" }|' "$conf.saved"
mark=$(stat -c %s "$log")
fine "$lab" restart $node
missed() { tail -c "+$mark" "$log" | grep -q 'cannot write the RDU locality table: /nonexistent: No such file'; }
await 'the missing program is logged' missed
fine ann srun -w $node --gres=rdu:1 true
