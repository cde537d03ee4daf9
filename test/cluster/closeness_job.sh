#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job gets RDUs near the cores that Slurm gave it, as long as such are free. Where nothing is known of it, or what is
# known cannot be used, it gets the lowest, and nothing fails.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h2
conf=$TESSERA_LAB/etc/tessera.conf
table=$TESSERA_LAB/state/$node/locality
log=$TESSERA_LAB/log/$node.log
cp "$conf" "$conf.saved"
put_back() {
	run scancel --quiet --user=tess-ann
	run scancel --quiet --user=tess-bob
	rewrite "$conf" <"$conf.saved"
	rm "$conf.saved"
	LAB_QUIET=1 "$lab" restart $node
	await 'nothing is known again' unknown
}
trap put_back EXIT
unknown() { [ -e "$table" ] && ! grep -q '^rdu' "$table"; }
write() { run tessera topology --write --node=$node --conf="$conf" "$@"; }
mask_of() { ann srun -w $node --gres="$1" "${@:2}" printenv SF_RNT_TILE_AFFINITY; }

is 'in the beginning nothing is known' '' "$(grep '^rdu' "$table")"
{
	cat "$conf.saved"
	echo 'platform sn30-8 { Numa = "0,1" }'
} | rewrite "$conf"
fine "$lab" restart $node
known() { grep -q '^rdu 4-7 distances 20,10$' "$table"; }
await "slurmd's start writes the table" known
like 'for people' '^ +1 64-127 +64-127 +rdu4-7$' "$(run tessera topology --node=$node --conf="$conf" --synthetic='pack:2 numa:1 core:64 pu:1')"

# All cores of the first socket are taken: what comes now has cores of the second.
holder=$(bob sbatch --parsable -o /dev/null -w $node -n1 -c64 --wrap 'sleep 600')
reaches "$holder" RUNNING
like "the holder's cores" 'CPU_IDs=0-63 ' "$(run scontrol -d show job "$holder")"
is 'an RDU' 0x000000ff00000000 "$(mask_of rdu:1)"
is 'two of one XRDU' 0x0000ffff00000000 "$(mask_of rdu:2)"
is 'half an RDU' 0x0000000f00000000 "$(mask_of rdu_tile:4)"
is 'a wish comes first' 0x00000000000000ff "$(mask_of rdu:1 --tile-affinity=rdu0)"
is 'more than there are near' 0xffffffffffffffff "$(mask_of rdu:8)"
nearest=$(bob sbatch --parsable -o /dev/null -w $node --gres=rdu:4 --wrap 'sleep 600')
has_row() { rows $node | grep -q "^job $1 .* tiles $2 "; }
await 'the near ones are taken' has_row "$nearest" 32-63
is 'when the near ones are taken' 0x00000000000000ff "$(mask_of rdu:1)"
fine run scancel "$nearest"
await 'they are free again' no_rows

# Of a job on two nodes each looks at its own cores: the first has half of them on each socket.
# shellcheck disable=SC2016
is 'on two nodes' 'sn30-r1-h1 0x00000000000000ff sn30-r1-h2 0x000000ff00000000' \
	"$(ann srun -N2 -n2 -c64 --gres=rdu:1 sh -c 'echo $SLURMD_NODENAME $SF_RNT_TILE_AFFINITY' | sort | xargs)"

# as_if_unknown WHAT: the job runs, and has the lowest RDU.
as_if_unknown() {
	is "$1" 0x00000000000000ff "$(mask_of rdu:1)"
	is "$1: the node stays" '' "$(run sinfo -h -n $node -t drain,down -o %N)"
}
good=$(<"$table")
# put TEXT: as the table.
put() { printf '%s\n' "$1" >"$table"; }
told() { tail -c "+$mark" "$log" | grep -c 'it is not known which RDUs are near'; }

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
like 'a machine without the NUMA nodes that tessera.conf names' 'has no NUMA node 1' "$said"
as_if_unknown 'RDUs that are nowhere'
is 'nothing to tell of all this' 0 "$(told)"
put "${good/end 4/end 5}"
as_if_unknown 'a damaged table'
is 'one line for a damaged table' 1 "$(told)"
put "$good"
chmod 666 "$table"
as_if_unknown "anybody's table"
is "one line for anybody's table" 2 "$(told)"
chmod 644 "$table"
is 'and all is well again' 0x000000ff00000000 "$(mask_of rdu:1)"

# No program to write it: slurmd starts all the same and says so.
fine run scancel "$holder"
{
	sed 's|^TopologyCommand.*|TopologyCommand = "/nonexistent topology"|' "$conf.saved"
	echo 'platform sn30-8 { Numa = "0,1" }'
} | rewrite "$conf"
mark=$(stat -c %s "$log")
fine "$lab" restart $node
missed() { tail -c "+$mark" "$log" | grep -q 'it is not known which RDUs are near: /nonexistent: No such file'; }
await 'a program that is not there is told of' missed
fine ann srun -w $node --gres=rdu:1 true
