#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A mask that the user exported, under mpirun: a refusal ends the job instead of leaving mpirun
# waiting, and with UserMask = ignore every rank has the tiles of its own node.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/mpi.bash"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
occupy_first_rdu
foreign=0xff00000000000000

for mpirun in mpirun.mpich mpirun.openmpi; do
	# Exported before the job: the script itself is refused.
	script='touch started'
	SF_RNT_TILE_AFFINITY=$foreign refused batch -N2 -n2 --gres=rdu:1 -- $mpirun -np 2 ./rank
	like "$mpirun: a mask exported before the job is refused" "tessera: SF_RNT_TILE_AFFINITY=$foreign names tiles that are not allocated to this task: rdu7" "$said"
	[ ! -e "$(home ann)/started" ] || fail 'the script was started'
	# Exported in the script: the daemons are refused, and the job ends.
	script="export SF_RNT_TILE_AFFINITY=$foreign"
	for nodes in 1 2; do
		# What Open MPI 4, 5 and 6 print when a daemon is refused; 5 takes the text of another error.
		refused batch -w sn30-r1-h[1-$nodes] -N$nodes -n2 --gres=rdu:1 -- $mpirun -np 2 ./rank
		like "$mpirun: a mask exported in the job on $nodes is refused" 'names tiles that are not allocated to this task: rdu7.*ending the job|ORTE daemon has unexpectedly failed|The Slurm process starter requires|srun returned non-zero exit status' "$said"
		unlike "$mpirun: no rank was started" '^[01] ' "$said"
		unlike "$mpirun: mpirun does not wait" 'was still running' "$said"
	done
done

echo 'UserMask = ignore' >>"$conf"
for mpirun in mpirun.mpich mpirun.openmpi; do
	is "$mpirun: the mask is ignored on one node" "$(printf '%s\n' "0 $one 0x000000000000ff00" "1 $one 0x000000000000ff00")" \
		"$(batch -w $one -n2 --gres=rdu:1 -- $mpirun -np 2 ./rank)"
	is "$mpirun: the mask is ignored on two nodes" "$(printf '%s\n' "0 $one 0x000000000000ff00" "1 $two 0x00000000000000ff")" \
		"$(batch -N2 --ntasks-per-node=1 --gres=rdu:1 -- $mpirun -np 2 ./rank)"
done

fine run scancel "$other"
rm -f "$(home ann)"/{rank,mpi.sh,mpi.out,started}
