#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job on several nodes has one partition, which its first node creates once. With several GCDs
# each task has its own.
. "$(dirname "$0")/lib.sh"

made() { grep -c " CreatePartition id=slurm_$1 " "$TESSERA_LAB/log/vipu.out"; }
job=$(ann sbatch -W --parsable -p p64 -N3 --ipus=8 -o multi.out --wrap 'srun -Q -N3 -n3 sh -c "echo \$SLURMD_NODENAME \$IPUOF_VIPU_API_PARTITION_ID"') || fail 'the job failed'
is 'all three nodes have the partition' "gc-poplar-02 slurm_$job gc-poplar-03 slurm_$job gc-poplar-04 slurm_$job" "$(sort "$(home ann)/multi.out" | xargs)"
is 'the partition was created once' 1 "$(made "$job")"
await 'no job record is left' no_job_records
is 'the partition was removed once' 1 "$(grep -c " RemovePartition id=slurm_$job status=OK" "$TESSERA_LAB/log/vipu.out")"

# The job record of the first node, and no other, says that this node owns the partition.
job=$(ann sbatch --parsable -p p64 -w gc-poplar-03,gc-poplar-04 -N2 --ipus=2 -o /dev/null --wrap 'srun -N2 sleep 600')
both_ready() { record_is ready gc-poplar-03 "$1" && record_is ready gc-poplar-04 "$1"; }
await 'both nodes have a job record' both_ready "$job"
is 'the first node is the owner' "$TESSERA_LAB/state/gc-poplar-03/job.$job" "$(grep -l ' owner 1 ' "$TESSERA_LAB"/state/*/"job.$job")"
fine run scancel "$job"

# The other nodes wait for the first one, however long the controller takes.
fine vipu delay 3
out=$(ann srun -p p64 -N2 --ipus=2 sh -c 'vipu get partition $IPUOF_VIPU_API_PARTITION_ID --gcd 0 --ipuof-configs >/dev/null && echo active') || fail "srun failed: $out"
is 'the partition is active on both nodes' 'active active' "$(xargs <<<"$out")"
fine vipu delay 0

# GCDs: one for each task, or one for a block of tasks. A script has the first.
gcds() { sort -n <<<"$1" | xargs; }
print_env='echo $SLURM_PROCID $IPUOF_VIPU_API_GCD_ID'
is 'each task has its own GCD' '0 0 1 1 2 2 3 3' "$(gcds "$(ann srun -p p64 -N2 -n4 --ipus=8 --ipu-gcds=4 sh -c "$print_env")")"
is 'two tasks share a GCD' '0 0 1 0 2 1 3 1' "$(gcds "$(ann srun -p p64 -N2 -n4 --ipus=8 --ipu-gcds=2 sh -c "$print_env")")"
job=$(ann sbatch -W --parsable -p p64 -n4 --ipus=8 --ipu-gcds=4 -o multi.out --wrap 'echo $IPUOF_VIPU_API_GCD_ID; srun -Q -n1 printenv IPUOF_VIPU_API_GCD_ID') || fail 'the job failed'
is 'a script and a step of one task have the first GCD' '0 0' "$(xargs <"$(home ann)/multi.out")"
like 'the controller received the number of GCDs' "CreatePartition id=slurm_$job .*\"size\":8,\"num_gcds\":4,\"reconfigurable\":true" \
	"$(grep "CreatePartition id=slurm_$job" "$TESSERA_LAB/log/vipu.out")"
rm -f "$(home ann)/multi.out"
