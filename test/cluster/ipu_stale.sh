#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What is written under a job's number before the job comes, by a run that slurmctld has forgotten, is not taken for the
# job's own: who asks for nothing gets nothing, and who asks for IPUs gets new ones.
. "$(dirname "$0")/lib.sh"

port=$(sed -n 's/^\tPort = //p' "$TESSERA_LAB/etc/tessera.conf")
# stale NODE JOB STATE IPUS [HOST]: a note as an earlier job of that number would have left it.
stale() {
	printf '%s\n' 'tessera-holding 1' "job $2 uid 0 restarts 0" "state $3" "ipus $4 gcds 1 owner 1 limit 0" \
		"partition slurm_$2" "controller ${5:-127.0.0.1} port $port timeout 7" 'pool csx 2' 'text -' end >"$TESSERA_LAB/state/$1/job.$2"
}
held() { ann sbatch --parsable --hold -p "$1" -w "$2" -o stale.out "${@:3}" --wrap 'env; srun env'; }
seen() { grep -E '^(IPUOF_VIPU_API_(HOST|PARTITION)|TESSERA_CSX)' "$(home ann)/stale.out" | sort -u | xargs; }

# Nothing asked for: on a node with IPUs, whose leftover partition goes too, and on one without.
job=$(held p64 gc-poplar-03)
stale gc-poplar-03 "$job" ready 4
fine vipu create "slurm_$job" 4
fine ann scontrol release "$job"
reaches "$job" COMPLETED
is 'nothing of the other job' '' "$(seen)"
is 'its partition is gone' '' "$(vipu list)"
for state in ready failed; do
	job=$(held sambanova sn30-r1-h1)
	stale sn30-r1-h1 "$job" $state 0
	fine ann scontrol release "$job"
	reaches "$job" COMPLETED
	is "nothing on a node without, $state" '' "$(seen)"
done

# The controller does not answer: that is no reason to keep the job from running.
job=$(held p64 gc-poplar-03)
stale gc-poplar-03 "$job" ready 4
fine vipu create "slurm_$job" 4
fine vipu fault denied RemovePartition
fine ann scontrol release "$job"
reaches "$job" COMPLETED
fine vipu fault none
is 'nothing, though it stays' '' "$(seen)"
fine vipu remove "slurm_$job"

# Asked for: its own, not the note's.
job=$(held p64 gc-poplar-03 --ipus=2)
stale gc-poplar-03 "$job" ready 4 192.0.2.1
fine ann scontrol release "$job"
reaches "$job" COMPLETED
is 'its own' "IPUOF_VIPU_API_HOST=127.0.0.1 IPUOF_VIPU_API_PARTITION_ID=slurm_$job" "$(seen)"
rm -f "$(home ann)/stale.out"
