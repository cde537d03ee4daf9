#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A mask that the user exported, under mpirun: what is refused ends the job instead of letting mpirun wait for ever, and
# UserMask = ignore gives every rank the tiles of its own node.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/mpi.bash"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
other=$(bob sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'sleep 600')
reaches "$other" RUNNING
foreign=0xff00000000000000

for mpirun in mpirun.mpich mpirun.openmpi; do
	# Exported before: the script itself is refused.
	script='touch started'
	SF_RNT_TILE_AFFINITY=$foreign refused batch -N2 -n2 --gres=rdu:1 -- $mpirun -np 2 ./rank
	like "$mpirun, exported before the job" "tessera: SF_RNT_TILE_AFFINITY=$foreign names tiles that this task was not granted: rdu7" "$said"
	[ ! -e "$(home ann)/started" ] || broken 'the script was started'
	# Exported in the script: the daemons are refused, and the job ends.
	script="export SF_RNT_TILE_AFFINITY=$foreign"
	for nodes in 1 2; do
		refused batch -w sn30-r1-h[1-$nodes] -N$nodes -n2 --gres=rdu:1 -- $mpirun -np 2 ./rank
		like "$mpirun, exported in the job on $nodes" 'names tiles that this task was not granted: rdu7.*the job is ended|ORTE daemon has unexpectedly failed' "$said"
		unlike "$mpirun, no rank was started" '^[01] ' "$said"
	done
done

echo 'UserMask = ignore' >>"$conf"
for mpirun in mpirun.mpich mpirun.openmpi; do
	is "$mpirun, ignored on one node" "$(printf '%s\n' "0 $one 0x000000000000ff00" "1 $one 0x000000000000ff00")" \
		"$(batch -w $one -n2 --gres=rdu:1 -- $mpirun -np 2 ./rank)"
	is "$mpirun, ignored on two" "$(printf '%s\n' "0 $one 0x000000000000ff00" "1 $two 0x00000000000000ff")" \
		"$(batch -N2 --ntasks-per-node=1 --gres=rdu:1 -- $mpirun -np 2 ./rank)"
done

fine run scancel "$other"
rm -f "$(home ann)"/{rank,mpi.sh,mpi.out,started}
