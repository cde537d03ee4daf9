#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Ranks of MPICH's mpirun have the tiles of their own node, although mpirun hands them the batch script's environment; and the
# grant of their own node. What the user said of that environment counts.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/mpi.bash"

# On the first node somebody else has the first RDU, so that the job's RDUs differ.
other=$(bob sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'sleep 600')
reaches "$other" RUNNING

is 'two nodes' "0 $one 0x000000000000ff00
1 $two 0x00000000000000ff" "$(batch -N2 -n2 --gres=rdu:1 -- mpirun.mpich -np 2 -ppn 1 ./rank)"
is 'one node' "0 $one 0x000000000000ff00
1 $one 0x000000000000ff00" "$(batch -w $one -n2 --gres=rdu:1 -- mpirun.mpich -np 2 ./rank)"

# The rest of the script's environment still reaches the ranks.
script='export COLOUR=green'
is 'variables of the script' 'green green' \
	"$(batch -N2 -n2 --gres=rdu:1 -- "mpirun.mpich -np 2 -ppn 1 sh -c 'echo \"rank \$COLOUR\"'" | xargs)"
script=

# The grant is the node's own.
is 'grants' "granted $one granted $two" \
	"$(batch -N2 -n2 --gres=rdu:1 -- "mpirun.mpich -np 2 -ppn 1 sh -c 'echo \"rank \$(tessera verify --raw -o verdict,node | tail -n 1)\"'" | xargs)"

# What a script finds.
seen() { ann sbatch -Q -W -o seen.out "$@" --wrap 'echo "<$HYDRA_ENV>"' >/dev/null && cat "$(home ann)/seen.out"; }
is 'over two nodes' '<none>' "$(seen -N2 --gres=rdu:1)"
is 'on one node it is not needed' '<>' "$(seen -N1 --gres=rdu:1)"
is 'a job without tiles is left alone' '<>' "$(seen -N2)"
is "the user's own word stays" '<all>' "$(HYDRA_ENV=all seen -N2 --gres=rdu:1)"
is 'with IPUs, too' '<none>' "$(seen -p p64 -N2 --ipus=4)"
fine ann sbatch -Q -W -N2 -o /dev/null --gres=rdu:1 --wrap 'sbatch -Q -W -o inner.out --wrap "echo \"<\$HYDRA_ENV>\""' >/dev/null
is 'a job that is submitted in the job is left alone' '<>' "$(cat "$(home ann)/inner.out")"

fine run scancel "$other"
rm -f "$(home ann)"/{rank,mpi.sh,mpi.out,seen.out,inner.out}
