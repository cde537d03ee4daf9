#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Ranks of MPICH's mpirun have the tiles and the grant of their own node, although mpirun passes
# them the environment of the batch script. HYDRA_ENV of the user is respected.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/mpi.bash"

occupy_first_rdu
ranks_have_own_tiles mpirun.mpich -ppn

# The other variables of the script still reach the ranks.
script='export COLOUR=green'
is 'ranks have the variables of the script' 'green green' \
	"$(batch -N2 -n2 --gres=rdu:1 -- "mpirun.mpich -np 2 -ppn 1 sh -c 'echo \"rank \$COLOUR\"'" | xargs)"
script=

# Each rank has the grant of its own node.
is 'ranks have the grant of their node' "granted $one granted $two" \
	"$(batch -N2 -n2 --gres=rdu:1 -- "mpirun.mpich -np 2 -ppn 1 sh -c 'echo \"rank \$(tessera verify --raw -o verdict,node | tail -n 1)\"'" | xargs)"

# HYDRA_ENV in the batch script.
seen() { ann sbatch -Q -W -o seen.out "$@" --wrap 'echo "<$HYDRA_ENV>"' >/dev/null && cat "$(home ann)/seen.out"; }
is 'HYDRA_ENV is none over two nodes' '<none>' "$(seen -N2 --gres=rdu:1)"
is 'HYDRA_ENV is not set on one node' '<>' "$(seen -N1 --gres=rdu:1)"
is 'HYDRA_ENV is not set without tiles' '<>' "$(seen -N2)"
is "HYDRA_ENV of the user is kept" '<all>' "$(HYDRA_ENV=all seen -N2 --gres=rdu:1)"
is 'HYDRA_ENV is none with IPUs' '<none>' "$(seen -p p64 -N2 --ipus=4)"
fine ann sbatch -Q -W -N2 -o /dev/null --gres=rdu:1 --wrap 'sbatch -Q -W -o inner.out --wrap "echo \"<\$HYDRA_ENV>\""' >/dev/null
is 'HYDRA_ENV is not set in a job of the job' '<>' "$(cat "$(home ann)/inner.out")"

fine run scancel "$other"
rm -f "$(home ann)"/{rank,mpi.sh,mpi.out,seen.out,inner.out}
