#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A record of an earlier job with the same number, which slurmctld has forgotten, is not used for
# the new job: a job that requests nothing gets nothing, and a job that requests IPUs gets new ones.
. "$(dirname "$0")/lib.sh"

port=$(sed -n 's/^\tPort = //p' "$TESSERA_LAB/etc/tessera.conf")
# write_old_record NODE JOB STATE IPUS [HOST]: a record as an earlier job of that number would have
# left it.
write_old_record() {
	printf '%s\n' 'tessera-job 1' "job $2 uid 0 restarts 0" "state $3" "ipus $4 gcds 1 owner 1 limit 0" \
		"partition slurm_$2" "controller ${5:-127.0.0.1} port $port timeout 7" 'pool csx 2' 'text -' end >"$TESSERA_LAB/state/$1/job.$2"
}
held() { ann sbatch --parsable --hold -p "$1" -w "$2" -o old.out "${@:3}" --wrap 'env; srun env'; }
job_variables() { grep -E '^(IPUOF_VIPU_API_(HOST|PARTITION)|TESSERA_CSX)' "$(home ann)/old.out" | sort -u | xargs; }

# Jobs that request nothing: on a node with IPUs, where the old partition is removed too, and on one
# without.
job=$(held p64 gc-poplar-03)
write_old_record gc-poplar-03 "$job" ready 4
fine vipu create "slurm_$job" 4
fine ann scontrol release "$job"
reaches "$job" COMPLETED
is 'the job has no variables of the old record' '' "$(job_variables)"
is 'the old partition is removed' '' "$(vipu list)"
for state in ready failed; do
	job=$(held sambanova sn30-r1-h1)
	write_old_record sn30-r1-h1 "$job" $state 0
	fine ann scontrol release "$job"
	reaches "$job" COMPLETED
	is "a job on a node without IPUs has no variables, $state" '' "$(job_variables)"
done

# A controller that does not answer does not keep the job from running.
job=$(held p64 gc-poplar-03)
write_old_record gc-poplar-03 "$job" ready 4
fine vipu create "slurm_$job" 4
fine vipu fault denied RemovePartition
fine ann scontrol release "$job"
reaches "$job" COMPLETED
fine vipu fault none
is 'the job has no variables although the partition stays' '' "$(job_variables)"
fine vipu remove "slurm_$job"

# A job that requests IPUs has its own and not those of the record.
job=$(held p64 gc-poplar-03 --ipus=2)
write_old_record gc-poplar-03 "$job" ready 4 192.0.2.1
fine ann scontrol release "$job"
reaches "$job" COMPLETED
is 'the job has its own partition' "IPUOF_VIPU_API_HOST=127.0.0.1 IPUOF_VIPU_API_PARTITION_ID=slurm_$job" "$(job_variables)"
rm -f "$(home ann)/old.out"
