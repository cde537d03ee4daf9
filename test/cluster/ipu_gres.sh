#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# With a share of the pool on each host (IpuModel = gres), jobs on one and several nodes have one
# partition of all their IPUs, wait while the share of a node is used up, get no more than they
# requested, and are accounted for.
. "$(dirname "$0")/lib.sh"

export TESSERA_LAB=$TESSERA_LAB.gres
trap 'LAB_QUIET=1 "$lab" down 2>/dev/null' EXIT
fine "$lab" up --db --nodes ipu:2 --ipu-model=gres

port=$(sed -n 's/^\tPort = //p' "$TESSERA_LAB/etc/tessera.conf")
sizes() { grep " CreatePartition id=slurm_$1 status=OK" "$TESSERA_LAB/log/vipu.out" | sed 's/.*"size":\([0-9]*\).*/\1/' | xargs; }
in_job='echo $SLURM_JOB_ID $SLURM_PROCID $IPUOF_VIPU_API_PARTITION_ID $IPUOF_VIPU_API_PORT'
# asks COUNT PROCESSES ARGUMENT...: all tasks of the job have the same partition of COUNT IPUs.
asks() {
	local count=$1 tasks=$2 out job wanted i
	shift 2
	out=$(ann srun "$@" sh -c "$in_job" | sort -n -k2) || fail "srun $* failed"
	job=${out%% *}
	wanted=$(for ((i = 0; i < tasks; i++)); do echo "$job $i slurm_$job $port"; done)
	is "the tasks of srun $*" "$wanted" "$out"
	is "the size of the partition of srun $*" "$count" "$(sizes "$job")"
}
asks 4 1 --ipus=4
asks 4 1 --gres=ipu:4
asks 16 1 --ipus=16
asks 8 2 -N2 --ipus=8
asks 8 2 -N2 --gres=ipu:4
asks 32 2 -N2 --ipus=32
# --exclusive allocates all GRES of the node, but the partition has only the requested IPUs.
asks 4 1 --exclusive --ipus=4

# The share of a node is used up: the next job for it waits, although the pod has free IPUs.
first=$(ann sbatch --parsable -w gc-poplar-02 --ipus=16 -o /dev/null --wrap 'sleep 600')
reaches "$first" RUNNING
like 'the IPUs are accounted as GRES' '(^|,)gres/ipu=16(,|$)' "$(run scontrol -o show job "$first" | sed -n 's/.* \(Alloc\)\{0,1\}TRES=\([^ ]*\).*/\2/p')"
all=$(run "$TESSERA_LAB/bin/tessera" status --all --conf="$TESSERA_LAB/etc/tessera.conf")
like 'tessera status lists the job' "^gc-poplar-02 +$first +tess-ann +running +16 +ipus" "$all"
second=$(bob sbatch --parsable -w gc-poplar-02 --gres=ipu:1 -o gres.out --wrap 'echo $IPUOF_VIPU_API_PARTITION_ID')
waits() { [ "$(run squeue -hj "$1" -o '%T %r')" = 'PENDING Resources' ]; }
await 'the second job waits for the node' waits "$second"
asks 16 1 -w gc-poplar-03 --ipus=16
is 'the second job still waits' PENDING "$(state_of "$second")"
is 'no partition is created for it' '' "$(sizes "$second")"
fine run scancel "$first"
wrote() { [ -s "$(home bob)/gres.out" ]; }
await 'the second job ran' wrote
is 'the job has its partition' "slurm_$second" "$(cat "$(home bob)/gres.out")"
await 'slurmdbd has the TRES of the job' eval 'run sacct -nXPj '"$second"' -o alloctres | grep -qE "(^|,)gres/ipu=1(,|$)"'

# The share of each host in a job, and the partition on the host that created it.
both=$(ann sbatch --parsable -N2 --ipus=8 -o /dev/null --wrap 'sleep 600')
reaches "$both" RUNNING
await 'the partition is ready' grep -q 'state ready' "$TESSERA_LAB/state/gc-poplar-02/job.$both"
is 'tessera status --job lists both hosts' "NODE JOB COUNT WHAT PARTITION
gc-poplar-02 $both 4 ipus slurm_$both
gc-poplar-03 $both 4 ipus -" "$(ann tessera status --node=gc-poplar-02 --job="$both" --raw -o node,job,count,resource,partition)"
fine run scancel "$both"

# Steps: all IPUs, a part of them, and more than the job has.
fine ann sbatch -W -N2 --ipus=8 -o steps.out --wrap 'srun -Q -n2 printenv IPUOF_VIPU_API_PARTITION_ID; srun -Q -n2 --ipus=4 printenv IPUOF_VIPU_API_PARTITION_ID; srun -Q -N1 -n1 --ipus=16 true 2>too-many && echo sixteen; true'
steps=$(sort -u "$(home ann)/steps.out")
like 'the steps have the partition' '^slurm_[0-9]+$' "$steps"
is 'each task of two steps printed a line' 4 "$(wc -l <"$(home ann)/steps.out")"
like 'a step with too many IPUs is refused' 'tessera: --ipus=16 ' "$(cat "$(home ann)/too-many")"
left_clean
