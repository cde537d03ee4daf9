#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Ranks of Open MPI's mpirun have the tiles of their own node. Those that the job's --tiles-per-task gives to each of its tasks
# they share: their daemon is a step of one task, which has all that the job has on the node.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/mpi.bash"

other=$(bob sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'sleep 600')
reaches "$other" RUNNING

is 'two nodes' "0 $one 0x000000000000ff00
1 $two 0x00000000000000ff" "$(batch -N2 -n2 --gres=rdu:1 -- mpirun.openmpi -np 2 -npernode 1 ./rank)"
is 'one node' "0 $one 0x000000000000ff00
1 $one 0x000000000000ff00" "$(batch -w $one -n2 --gres=rdu:1 -- mpirun.openmpi -np 2 ./rank)"

# The job's shares are those of its tasks, and do not narrow a step that has fewer.
for mpirun in mpirun.openmpi mpirun.mpich; do
	is "$mpirun, shares on one node" "$(printf "%s $one 0x0000000000ffff00\n" 0 1 2 3)" \
		"$(batch -w $one -n4 --tiles-per-task=4 -- $mpirun -np 4 ./rank)"
	is "$mpirun, shares on two nodes" "$(printf "%s\n" "0 $one 0x000000000000ff00" "1 $one 0x000000000000ff00" "2 $two 0x00000000000000ff" "3 $two 0x00000000000000ff")" \
		"$(batch -N2 --ntasks-per-node=2 --tiles-per-task=4 -- $mpirun -np 4 ./rank)"
done

fine run scancel "$other"
rm -f "$(home ann)"/{rank,mpi.sh,mpi.out}
