#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# With the vendor's command-line program instead of gRPC (Backend = command): jobs have their partitions, and a command that
# fails, hangs, talks nonsense or is not there ends in a sentence, not in a drained node or a partition that stays.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
program=$TESSERA_LAB/bin/vipu
odd=$TESSERA_LAB/odd
create="$program -H %h --api-port %o create partition %p --size %n --num-gcds %g --reconfigurable"
remove="$program -H %h --api-port %o remove partition %p"
status="$program -H %h --api-port %o get partition %p --gcd 0 --ipuof-configs"
mkdir -p "$odd"
trap 'site_keys; rm -rf "$odd"' EXIT

# commands [CREATE [REMOVE]]: in place of the right ones, which have more time.
commands() {
	site_keys 'Backend = command' "CreateWait = $([ -n "${1:-}" ] && echo 1 || echo 30)" "RemoveWait = $([ -n "${2:-}" ] && echo 1 || echo 20)" "CreateCommand = \"${1:-$create}\"" "StatusCommand = \"$status\"" \
		"RemoveCommand = \"${2:-$remove}\"" "ForceCommand = \"${2:-$remove --force}\""
}
# script NAME LINE...: a program that does so.
script() {
	printf '#!/bin/sh\n' >"$odd/$1"
	printf '%s\n' "${@:2}" >>"$odd/$1"
	chmod 755 "$odd/$1"
}
calls() { sed -n "s/^[0-9:]* \(Create\|Remove\)Partition id=slurm_$1 status=\([A-Z_]*\).*/\1 \2/p" "$TESSERA_LAB/log/vipu.out" | xargs; }
nothing() { no_jobs && no_notes && no_partitions; }
undrained() { unlike "$1: no node is taken away" 'drain|down|fail' "$(run sinfo -hN -o '%N %T')"; }

# All is well: on one node, on two, and with GCDs.
commands
out=$(ann srun -p p64 --ipus=4 sh -c 'echo $IPUOF_VIPU_API_PARTITION_ID; vipu get partition $IPUOF_VIPU_API_PARTITION_ID --gcd 0 --ipuof-configs >/dev/null && echo active') || broken "srun failed: $out"
like 'a job' '^slurm_[0-9]+ active$' "$(xargs <<<"$out")"
out=$(ann srun -p p64 -N2 -n2 --ipus=8 --ipu-gcds=2 sh -c 'echo $IPUOF_VIPU_API_PARTITION_ID $IPUOF_VIPU_API_GCD_ID' | sort) || broken "srun failed: $out"
like 'on two nodes' '^slurm_([0-9]+) 0 slurm_\1 1$' "$(xargs <<<"$out")"
job=${out%% *} && job=${job#slurm_}
like 'what was asked for' '"size":8,"num_gcds":2,"reconfigurable":true' "$(grep "CreatePartition id=slurm_$job " "$TESSERA_LAB/log/vipu.out")"
await 'nothing is left' nothing
# Without a list a reap could not find what a dead node left, so both nodes remove it: only one finds it there.
like 'made once, and removed' '^Create OK Remove OK( Remove (OK|NOT_FOUND))*$' "$(calls "$job")"

# bad NAME PATTERN: what an interactive job says when that program makes the partitions.
bad() {
	commands "$odd/$1 %p"
	refused ann srun -Q -p p64 --ipus=4 true
	like "$1" "tessera: partition slurm_[0-9]+ of 4 IPUs .*($2)" "$said"
	unlike "$1: control characters" '[[:cntrl:]]' "$(tr -d '\n' <<<"$said")"
	await "nothing is left after $1" nothing
	undrained "$1"
}
script fails 'echo "create partition: some words"' 'echo "no such allocation" >&2' 'exit 3'
script hangs 'sleep 600 & sleep 600'
script rubbish 'head -c 300000 /dev/urandom' 'printf "\n\033[31mred\007 words\377\n"' 'exit 1'
script lies 'echo "create partition ($1): success."'
bad fails "no such allocation \($odd/fails, exit status 3\)"
bad hangs "$odd/hangs did not end in time, and was killed after 1 seconds"
bad rubbish 'red. words'
bad lies 'not usable'
bad missing "$odd/missing: No such file or directory"
is 'what hung is gone' '' "$(grep -ls "$TESSERA_LAB/[o]dd/" /proc/[0-9]*/cmdline)"

# A batch job goes back to the queue.
commands "$odd/fails"
job=$(ann sbatch --parsable -p p64 --ipus=4 --requeue -o command.out --wrap true)
requeued() { run scontrol show job "$1" | grep -q 'Restarts=1' && [ "$(run squeue -hj "$1" -o %T)" = PENDING ]; }
await 'it is back in the queue' requeued "$job"
like 'and says why' 'no such allocation.*the job goes back to the queue \(1 of 3\)' "$(cat "$(home ann)/command.out")"
fine run scancel "$job"

# What an earlier run left is made anew.
commands
job=$(ann sbatch --parsable --hold -p p64 --ipus=4 -o /dev/null --wrap 'sleep 600')
fine vipu create "slurm_$job" 8
fine run scontrol release "$job"
fresh() { vipu list | grep -q "^slurm_$1 4 ACTIVE"; }
await 'a partition of the right size' fresh "$job"
reaches "$job" RUNNING

# It cannot be removed: that is written down, and reap does it when it can be.
commands '' "$odd/fails"
fine run scancel "$job"
await 'the job has ended' no_jobs
note=$(echo "$TESSERA_LAB"/state/*/"job.$job")
like 'it is written down' '^state leaving' "$(cat "$note")"
fresh "$job" || broken 'the partition is gone'
undrained 'the epilog'
commands
node=$(basename "$(dirname "$note")")
like 'reap removes it' "^job $job is gone: partition slurm_$job removed" "$(run tessera reap --node="$node" --conf="$conf")"
await 'nothing is left' nothing
rm -f "$(home ann)/command.out"
