#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# mpirun -np N tessera task -- COMMAND works as srun does: each rank has its own part of the tiles
# of its node and its own GCD, with MPICH and Open MPI, on one node and on two, and has a grant for
# that part.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/mpi.bash"

occupy_first_rdu

own=$(printf '%s\n' "0 $one 0x0000000000000f00" "1 $one 0x000000000000f000" "2 $two 0x000000000000000f" "3 $two 0x00000000000000f0")
for mpirun in mpirun.mpich mpirun.openmpi; do
	is "$mpirun: equal parts" "$own" "$(batch -N2 --ntasks-per-node=2 --gres=rdu:1 -- $mpirun -np 4 tessera task -- ./rank)"
	is "$mpirun: parts of the options of the job" "$own" \
		"$(batch -N2 --ntasks-per-node=2 --tiles-per-task=4 -- $mpirun -np 4 tessera task -- ./rank)"
	is "$mpirun: parts of its own options" "$(printf '%s\n' "0 $one 0x0000000000000300" "1 $one 0x0000000000000c00")" \
		"$(batch -w $one -n2 --gres=rdu:1 -- $mpirun -np 2 tessera task --tiles-per-task=2 ./rank)"
	is "$mpirun: without tessera task ranks share" "$(printf '%s\n' "0 $one 0x000000000000ff00" "1 $one 0x000000000000ff00")" \
		"$(batch -w $one -n2 --gres=rdu:1 -- $mpirun -np 2 ./rank)"
	is "$mpirun: the part is granted" 'granted granted' \
		"$(batch -w $one -n2 --gres=rdu:1 -- "$mpirun -np 2 tessera task sh -c 'echo \"rank \$(tessera verify --raw -o verdict | tail -n 1)\"'" | xargs)"
	is "$mpirun: each rank has its GCD" "$(printf '%s\n' '0 0' '1 1' '2 2' '3 3')" \
		"$(batch -p p64 -N2 --ntasks-per-node=2 --ipus=4 --ipu-gcds=4 -- "$mpirun -np 4 tessera task sh -c 'echo \"rank \${PMI_RANK-\$OMPI_COMM_WORLD_RANK} \$IPUOF_VIPU_API_GCD_ID\"'")"
done
is 'srun has divided the tiles already' "$(printf '%s\n' 0x0000000000000f00 0x000000000000f000)" \
	"$(ann srun -w $one -n2 --tiles-per-task=4 tessera task -- printenv SF_RNT_TILE_AFFINITY | sort)"
# shellcheck disable=SC2016
is 'a job without accelerators is not changed' '<> <>' "$(batch -N1 -n2 -- 'mpirun.mpich -np 2 tessera task sh -c '\''echo "rank <$SF_RNT_TILE_AFFINITY>"'\' | xargs)"

fine run scancel "$other"
rm -f "$(home ann)"/{rank,mpi.sh,mpi.out}
