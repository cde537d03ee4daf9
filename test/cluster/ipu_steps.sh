#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Steps have the IPUs of their job, may name fewer, and get no more. The controller is called once
# for the whole job.
. "$(dirname "$0")/lib.sh"

created() { grep -c " CreatePartition id=slurm_$1 status=OK" "$TESSERA_LAB/log/vipu.out"; }
cat >"$(home ann)/steps.sh" <<'EOS'
#!/bin/bash
srun -Q printenv IPUOF_VIPU_API_PARTITION_ID
srun -Q --ipus=2 printenv IPUOF_VIPU_API_PARTITION_ID
srun -Q --ipus=4 printenv IPUOF_VIPU_API_PARTITION_ID
srun -Q --ipus=8 printenv IPUOF_VIPU_API_PARTITION_ID 2>too-many && echo eight
srun -Q --csx=1 true 2>no-csx && echo csx
true
EOS
job=$(ann sbatch -W --parsable -p p64 --ipus=4 -o steps.out steps.sh) || fail 'the job failed'
is 'three steps have the partition' "slurm_$job slurm_$job slurm_$job" "$(xargs <"$(home ann)/steps.out")"
like 'a step with too many IPUs is refused' 'tessera: --ipus=8 exceeds what the job has, which is 4' "$(cat "$(home ann)/too-many")"
like 'a step with another pool is refused' 'tessera: --csx=1 exceeds what the job has, which is none' "$(cat "$(home ann)/no-csx")"
is 'one partition was created' 1 "$(created "$job")"

# A step cannot get IPUs in a job without them, on any node.
for partition in p64 sambanova; do
	refused ann salloc -Q -p $partition srun --ipus=1 printenv IPUOF_VIPU_API_PARTITION_ID
	like "a step in a job of $partition gets no IPUs" 'tessera: (--ipus=1 exceeds what the job has, which is none|.*has no IPUs)' "$said"
done

# Environment variables of the user give no access.
other=$(bob sbatch --parsable -p p64 --ipus=1 -o /dev/null --wrap 'sleep 600')
reaches "$other" RUNNING
is 'forged variables are replaced' "slurm_" "$(ann env TESSERA_PARTITION="slurm_$other" IPUOF_VIPU_API_PARTITION_ID="slurm_$other" SLURM_TESSERA_ASKED=ipus=64 \
	srun -p p64 --ipus=1 printenv IPUOF_VIPU_API_PARTITION_ID | tr -d 0-9)"
fine run scancel "$other"
rm -f "$(home ann)"/{steps.sh,steps.out,too-many,no-csx}
