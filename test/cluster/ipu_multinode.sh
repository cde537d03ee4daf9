#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job on several nodes has one partition, made once by its first node; where it has several GCDs each task has its own.
. "$(dirname "$0")/lib.sh"

made() { grep -c " CreatePartition id=slurm_$1 " "$TESSERA_LAB/log/vipu.out"; }
job=$(ann sbatch -W --parsable -p p64 -N3 --ipus=8 -o multi.out --wrap 'srun -Q -N3 -n3 sh -c "echo \$SLURMD_NODENAME \$IPUOF_VIPU_API_PARTITION_ID"') || broken 'the job failed'
is 'all three nodes' "gc-poplar-02 slurm_$job gc-poplar-03 slurm_$job gc-poplar-04 slurm_$job" "$(sort "$(home ann)/multi.out" | xargs)"
is 'made once' 1 "$(made "$job")"
await 'nothing is left' no_notes
is 'and removed once' 1 "$(grep -c " RemovePartition id=slurm_$job status=OK" "$TESSERA_LAB/log/vipu.out")"

# Whose note says that it makes the partition: the first node's, and only there.
job=$(ann sbatch --parsable -p p64 -w gc-poplar-03,gc-poplar-04 -N2 --ipus=2 -o /dev/null --wrap 'srun -N2 sleep 600')
noted() { grep -qs '^state ready' "$TESSERA_LAB/state/gc-poplar-03/job.$1" && grep -qs '^state ready' "$TESSERA_LAB/state/gc-poplar-04/job.$1"; }
await 'both have written it down' noted "$job"
is 'the owner' "$TESSERA_LAB/state/gc-poplar-03/job.$job" "$(grep -l ' owner 1 ' "$TESSERA_LAB"/state/*/"job.$job")"
fine run scancel "$job"

# The others wait for the first, however long the controller takes.
fine vipu delay 3
out=$(ann srun -p p64 -N2 --ipus=2 sh -c 'vipu get partition $IPUOF_VIPU_API_PARTITION_ID --gcd 0 --ipuof-configs >/dev/null && echo active') || broken "srun failed: $out"
is 'active for both' 'active active' "$(xargs <<<"$out")"
fine vipu delay 0

# GCDs: one to a task, or a block of tasks to a GCD; a script has the first.
gcds() { sort -n <<<"$1" | xargs; }
tell='echo $SLURM_PROCID $IPUOF_VIPU_API_GCD_ID'
is 'as many tasks as GCDs' '0 0 1 1 2 2 3 3' "$(gcds "$(ann srun -p p64 -N2 -n4 --ipus=8 --ipu-gcds=4 sh -c "$tell")")"
is 'twice as many' '0 0 1 0 2 1 3 1' "$(gcds "$(ann srun -p p64 -N2 -n4 --ipus=8 --ipu-gcds=2 sh -c "$tell")")"
job=$(ann sbatch -W --parsable -p p64 -n4 --ipus=8 --ipu-gcds=4 -o multi.out --wrap 'echo $IPUOF_VIPU_API_GCD_ID; srun -Q -n1 printenv IPUOF_VIPU_API_GCD_ID') || broken 'the job failed'
is 'a script, and a step of one task' '0 0' "$(xargs <"$(home ann)/multi.out")"
like 'what the controller was told' "CreatePartition id=slurm_$job .*\"size\":8,\"num_gcds\":4,\"reconfigurable\":true" \
	"$(grep "CreatePartition id=slurm_$job" "$TESSERA_LAB/log/vipu.out")"
rm -f "$(home ann)/multi.out"
