#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Ranks of Open MPI's mpirun have the tiles of their own node. They share the tiles of
# --tiles-per-task, since their daemon is a step of one task with all tiles of the job on the node.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/mpi.bash"

occupy_first_rdu
ranks_have_own_tiles mpirun.openmpi -npernode

# The job's shares belong to its tasks, and do not narrow a step with fewer tasks.
for mpirun in mpirun.openmpi mpirun.mpich; do
	# Newer releases of Open MPI refuse to bind more ranks than the machine has cores.
	[ "$mpirun" = mpirun.mpich ] || mpirun+=' --bind-to none'
	is "$mpirun: ranks share all tiles on one node" "$(printf "%s $one 0x0000000000ffff00\n" 0 1 2 3)" \
		"$(batch -w $one -n4 --tiles-per-task=4 -- "$mpirun" -np 4 ./rank)"
	is "$mpirun: ranks share all tiles on two nodes" "$(printf "%s\n" "0 $one 0x000000000000ff00" "1 $one 0x000000000000ff00" "2 $two 0x00000000000000ff" "3 $two 0x00000000000000ff")" \
		"$(batch -N2 --ntasks-per-node=2 --tiles-per-task=4 -- "$mpirun" -np 4 ./rank)"
done

fine run scancel "$other"
rm -f "$(home ann)"/{rank,mpi.sh,mpi.out}
