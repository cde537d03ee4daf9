# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions for scenarios with a real mpirun. Only the environment of its ranks matters, so the ranks
# need not use MPI.
one=sn30-r1-h1 two=sn30-r1-h2

# Each rank prints its number, node and mask, in one write so that lines of ranks do not mix.
cat >"$(home ann)/rank" <<'RANK'
#!/bin/sh
echo "rank ${PMI_RANK-$OMPI_COMM_WORLD_RANK} $SLURMD_NODENAME $SF_RNT_TILE_AFFINITY"
RANK
chmod 755 "$(home ann)/rank"

# batch OPTION... -- COMMAND...: run a batch job whose script is COMMAND, and print the lines of its
# ranks in their order. The script runs $script first. Open MPI 5 can hang when it starts the daemons of
# two nodes on one machine, as in the lab: COMMAND is tried again then, at most three times.
script=
batch() {
	local options=() status try
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	shift
	printf '#!/bin/sh\n%s\ntimeout -k 5 40 %s\n' "$script" "$*" >"$(home ann)/mpi.sh"
	for try in 1 2 3; do
		ann sbatch -Q -W -o mpi.out "${options[@]}" mpi.sh >/dev/null
		status=$?
		[ "$status" = 124 ] || break
		echo "try $try: $1 was still running after 40 s" >&2
	done
	grep -av '^rank' "$(home ann)/mpi.out" >&2
	sed -n 's/^rank //p' "$(home ann)/mpi.out" | sort -n
	return $status
}

# occupy_first_rdu: bob's job takes the first RDU of $one, so that the masks on the two nodes differ.
# Its number is left in $other.
occupy_first_rdu() {
	other=$(bob sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'sleep 600')
	reaches "$other" RUNNING
}

# ranks_have_own_tiles MPIRUN OPTION: over two nodes and on one; OPTION limits the ranks of a node.
ranks_have_own_tiles() {
	is "$1: ranks on two nodes" "0 $one 0x000000000000ff00
1 $two 0x00000000000000ff" "$(batch -N2 -n2 --gres=rdu:1 -- "$1" -np 2 "$2" 1 ./rank)"
	is "$1: ranks on one node" "0 $one 0x000000000000ff00
1 $one 0x000000000000ff00" "$(batch -w $one -n2 --gres=rdu:1 -- "$1" -np 2 ./rank)"
}
