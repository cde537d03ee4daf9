#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# mpirun -np N tessera task -- COMMAND equals srun: each rank has its own part of its node's tiles, and its own GCD of the
# IPUs, with MPICH and with Open MPI, on one node and on two; and the part is granted.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/mpi.bash"

other=$(bob sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'sleep 600')
reaches "$other" RUNNING

own=$(printf '%s\n' "0 $one 0x0000000000000f00" "1 $one 0x000000000000f000" "2 $two 0x000000000000000f" "3 $two 0x00000000000000f0")
for mpirun in mpirun.mpich mpirun.openmpi; do
	is "$mpirun, an equal part" "$own" "$(batch -N2 --ntasks-per-node=2 --gres=rdu:1 -- $mpirun -np 4 tessera task -- ./rank)"
	is "$mpirun, as the job was asked" "$own" \
		"$(batch -N2 --ntasks-per-node=2 --tiles-per-task=4 -- $mpirun -np 4 tessera task -- ./rank)"
	is "$mpirun, as it says itself" "$(printf '%s\n' "0 $one 0x0000000000000300" "1 $one 0x0000000000000c00")" \
		"$(batch -w $one -n2 --gres=rdu:1 -- $mpirun -np 2 tessera task --tiles-per-task=2 ./rank)"
	is "$mpirun, without it they share" "$(printf '%s\n' "0 $one 0x000000000000ff00" "1 $one 0x000000000000ff00")" \
		"$(batch -w $one -n2 --gres=rdu:1 -- $mpirun -np 2 ./rank)"
	is "$mpirun, the part is granted" 'granted granted' \
		"$(batch -w $one -n2 --gres=rdu:1 -- "$mpirun -np 2 tessera task sh -c 'echo \"rank \$(tessera verify --raw -o verdict | tail -n 1)\"'" | xargs)"
	is "$mpirun, GCDs" "$(printf '%s\n' '0 0' '1 1' '2 2' '3 3')" \
		"$(batch -p p64 -N2 --ntasks-per-node=2 --ipus=4 --ipu-gcds=4 -- "$mpirun -np 4 tessera task sh -c 'echo \"rank \${PMI_RANK-\$OMPI_COMM_WORLD_RANK} \$IPUOF_VIPU_API_GCD_ID\"'")"
done
is 'srun, which has shared out already' "$(printf '%s\n' 0x0000000000000f00 0x000000000000f000)" \
	"$(ann srun -w $one -n2 --tiles-per-task=4 tessera task -- printenv SF_RNT_TILE_AFFINITY | sort)"
# shellcheck disable=SC2016
is 'a job without accelerators' '<> <>' "$(batch -N1 -n2 -- 'mpirun.mpich -np 2 tessera task sh -c '\''echo "rank <$SF_RNT_TILE_AFFINITY>"'\' | xargs)"

fine run scancel "$other"
rm -f "$(home ann)"/{rank,mpi.sh,mpi.out}
