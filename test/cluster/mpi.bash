# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Scenarios with a real mpirun. Its ranks need no MPI: what they find in their environment is the question.
one=sn30-r1-h1 two=sn30-r1-h2

# What a rank says of itself: its number, its node, its mask. A line is written at once, so that lines of ranks stay apart.
cat >"$(home ann)/rank" <<'RANK'
#!/bin/sh
echo "rank ${PMI_RANK-$OMPI_COMM_WORLD_RANK} $SLURMD_NODENAME $SF_RNT_TILE_AFFINITY"
RANK
chmod 755 "$(home ann)/rank"

# batch OPTION... -- COMMAND...: a batch job whose script is that command; what the ranks said, in their order.
# $script, if set, is what the script does before.
script=
batch() {
	local options=() status
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	shift
	printf '#!/bin/sh\n%s\n%s\n' "$script" "$*" >"$(home ann)/mpi.sh"
	ann sbatch -Q -W -o mpi.out "${options[@]}" mpi.sh >/dev/null
	status=$?
	grep -v '^rank' "$(home ann)/mpi.out" >&2
	sed -n 's/^rank //p' "$(home ann)/mpi.out" | sort -n
	return $status
}

