#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The owner of a running job cannot release nodes or licenses and keep the IPUs that were allocated
# with them. An operator can change them, and a pending job can still be changed.
. "$(dirname "$0")/lib.sh"

export TESSERA_LAB=$TESSERA_LAB.shrink
trap 'LAB_QUIET=1 "$lab" down 2>/dev/null' EXIT

# up MODEL: start a cluster of its own, where tess-bob is an operator.
up() {
	fine "$lab" up --db --nodes ipu:3 --ipu-model="$1"
	fine run sacctmgr -iQ modify user tess-bob set adminlevel=Operator >/dev/null
	await 'slurmctld knows the operator' eval 'run scontrol show assoc_mgr users=tess-bob flags=users | grep -q Operator'
}
nodes_of() { run squeue -hj "$1" -o %D; }
# The user gets an error, and slurmctld logs the reason.
denied() {
	refused ann scontrol update "$@"
	like "$* is refused" 'Access/permission denied' "$said"
	like "the reason for $* is logged" 'tessera: refused job of uid [0-9]+: .*ask an operator' "$(tail -n 20 "$TESSERA_LAB/log/slurmctld.log")"
}

for model in gres license; do
	up "$model"
	job=$(ann sbatch --parsable -N2 -w gc-poplar-02,gc-poplar-03 -n2 --ipus=8 -o /dev/null --wrap 'sleep 600')
	reaches "$job" RUNNING
	denied job="$job" nodelist=gc-poplar-02
	denied job="$job" numnodes=1
	is "$model: the job keeps its nodes" 2 "$(nodes_of "$job")"
	fine ann scontrol update job="$job" timelimit=60
	fine ann scontrol update job="$job" comment=mine

	# A pending job has no IPUs yet.
	waits=$(ann sbatch --parsable --hold -N2 -n2 --ipus=8 -o /dev/null --wrap true)
	fine ann scontrol update job="$waits" nodelist=gc-poplar-02,gc-poplar-03
	fine ann scontrol update job="$waits" nodelist=
	fine ann scontrol update job="$waits" excnodelist=gc-poplar-03
	fine ann scancel "$waits"

	# A job without IPUs may release its nodes.
	other=$(ann sbatch --parsable -N2 -w gc-poplar-02,gc-poplar-03 --overcommit -o /dev/null --wrap 'sleep 600')
	reaches "$other" RUNNING
	fine ann scontrol update job="$other" nodelist=gc-poplar-02
	is "$model: the other job released a node" 1 "$(nodes_of "$other")"
	fine ann scancel "$other"

	# An operator and root may.
	fine bob scontrol update job="$job" nodelist=gc-poplar-02
	is "$model: the operator released a node" 1 "$(nodes_of "$job")"
	fine run scancel "$job"
	left_clean
	[ "$model" = gres ] || break
	fine "$lab" down
done

# Licenses of a running job: Slurm alone would let the owner remove them.
for ask in --ipus=8 --licenses=ipu:8; do
	job=$(ann sbatch --parsable $ask -o /dev/null --wrap 'sleep 600')
	reaches "$job" RUNNING
	denied job="$job" licenses=
	like "$ask: the licenses are still used" 'Used=8 ' "$(run scontrol show lic ipu)"
	fine run scancel "$job"
done
job=$(ann sbatch --parsable --csx=1 -o /dev/null --wrap 'sleep 600')
reaches "$job" RUNNING
denied job="$job" licenses=
fine run scancel "$job"

# without NAME: a slurmctld that lacks this internal function.
fine mkdir "$TESSERA_LAB/without"
fine cc -shared -fPIC -o "$TESSERA_LAB/without/no_symbols.so" "$top/test/cluster/no_symbols.c" -ldl
ctld_without() {
	printf '#!/bin/sh\nexec env LD_PRELOAD=%s NO_SYMBOL=%s %s "$@"\n' "$TESSERA_LAB/without/no_symbols.so" "$1" \
		"$(command -v slurmctld)" >"$TESSERA_LAB/without/slurmctld"
	chmod +x "$TESSERA_LAB/without/slurmctld"
	PATH=$TESSERA_LAB/without:$PATH fine "$lab" restart ctld
}

# The allocation of the job cannot be read: the owner can change nothing that may be an accelerator.
ctld_without copy_job_record_to_job_desc
job=$(ann sbatch --parsable --ipus=8 -N2 -n2 -o /dev/null --wrap 'sleep 600')
reaches "$job" RUNNING
for change in licenses= nodelist=gc-poplar-02 numnodes=1; do
	denied job="$job" $change
	like "the reason for $change is logged" 'does not report what it has' "$(tail -n 20 "$TESSERA_LAB/log/slurmctld.log")"
done
fine ann scontrol update job="$job" timelimit=60
like 'the licenses are still used' 'Used=8 ' "$(run scontrol show lic ipu)"
fine bob scontrol update job="$job" nodelist="$(run squeue -hj "$job" -o %B)"
fine run scancel "$job"

# The operators cannot be read: only root may.
ctld_without validate_operator
job=$(ann sbatch --parsable --ipus=8 -N2 -n2 -o /dev/null --wrap 'sleep 600')
reaches "$job" RUNNING
host=$(run squeue -hj "$job" -o %B)
refused bob scontrol update job="$job" nodelist="$host"
fine run scontrol update job="$job" nodelist="$host"
fine run scancel "$job"

# The state of the job cannot be read: it may be running.
ctld_without job_alloc_info_ptr
job=$(ann sbatch --parsable --hold --ipus=8 -N2 -n2 -o /dev/null --wrap 'sleep 600')
denied job="$job" nodelist=gc-poplar-02,gc-poplar-03
fine run scancel "$job"
left_clean
