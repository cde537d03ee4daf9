#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# AdminComment is shared: text of other tools stays, array tasks and components keep their own, and
# nothing is lost while slurmdbd is down.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/samples.bash"
clear_samples

# finished: an ended job that used two tiles for ten seconds and whose usage is not delivered yet;
# its number is left in $said.
finished() {
	said=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'use-tiles 2')
	in_use $one 1
	fine sample $one --interval=10 --no-deliver
	ends "$said"
}
ours=$(object $one 20 null 0 10)

# Text of other tools, with quotes, format characters and SQL.
texts=("it's 100%s of \"that\"" "back\\slash \\n \\" '{"ticket":12}' "'; drop table x; --" 'Käse' '{"tessera":1,"nodes":{')
jobs=()
for text in "${texts[@]}"; do
	jobs+=("$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'use-tiles 2')")
	fine run scontrol update jobid="${jobs[-1]}" AdminComment="$text"
done
in_use $one ${#texts[@]}
fine sample $one --interval=10 --no-deliver
ends "${jobs[@]}"
for n in "${!texts[@]}"; do is 'the text of other tools is stored' "${texts[n]}" "$(comment "${jobs[n]}")"; done
await_delivered $one "${jobs[@]}"
for n in "${!texts[@]}"; do is 'our object is appended' "${texts[n]} $ours" "$(comment "${jobs[n]}")"; done
# Text that was written after the end of the job.
finished
fine run sacctmgr -iQ modify job where jobid="$said" set AdminComment='watched by joe' >/dev/null
await_delivered $one "$said"
is 'our object is appended to it' "watched by joe $ours" "$(comment "$said")"

# An array, whose last task has the number of the array, and a heterogeneous job.
array=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --array=1-3 --wrap 'use-tiles 2')
in_use $one 3
fine run scontrol update jobid="${array}_2" AdminComment=two
fine sample $one --interval=10
ends "$array"
for task in 1 2 3; do await_delivered $one "${array}_$task"; done
for task in 1 3; do is "task $task has its object" "$ours" "$(comment "${array}_$task")"; done
is 'task 2 has its text and object' "two $ours" "$(comment "${array}_2")"
het=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 : -w $two --gres=rdu:1 --wrap 'srun --het-group=0,1 use-tiles 2')
in_use $one 1
in_use $two 1
fine sample $one --interval=10
ends "$het"
await_delivered $one "$het+0"
is 'the first component has its object' "$ours" "$(comment "$het+0")"
is 'the second component has none' '' "$(comment "$het+1")"
clear_samples

# slurmdbd is down: the sample record stays until it answers again.
finished
elsewhere=$TESSERA_LAB/etc/no-slurmdbd.conf
trap 'rm -f "$elsewhere"' EXIT
sed 's/^AccountingStoragePort=.*/AccountingStoragePort=1/; s/^MessageTimeout=.*/MessageTimeout=5/' "$TESSERA_LAB/etc/slurm.conf" >"$elsewhere"
code=0
told=$(env SLURM_CONF="$elsewhere" "$TESSERA_LAB/bin/tessera" sample --node=$one --conf="$conf" 2>&1) || code=$?
is 'the exit code is 3' 3 "$code"
like 'the message' 'tessera: slurmdbd does not answer .*: the usage stays on this node until it does' "$told"
is 'the sample record stays' 20 "$(sample_value $one "$said" tiles)"
is 'nothing was delivered' '' "$(comment "$said")"
await_delivered $one "$said"
is 'the usage is delivered later' "$ours" "$(comment "$said")"
is 'the sample record is removed' '' "$(sample_value $one "$said" tiles)"

# A damaged sample record: the others are still delivered.
finished
echo rubbish >"$TESSERA_LAB/state/$one/used.999999"
complains() { ! refuses=$(sample $one 2>&1) && grep -q 'used.999999 is damaged' <<<"$refuses" && [ "$(comment "$said")" = "$ours" ]; }
await 'the damaged record is named and others are delivered' complains
clear_samples
