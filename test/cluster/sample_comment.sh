#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# AdminComment is shared: what others wrote there stays, relatives of a job keep theirs, and while slurmdbd is down nothing is lost.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/samples.bash"
forget

# finished: a job that has ended, used two tiles for ten seconds, and is not told of yet; its number is $said.
finished() {
	said=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'use-tiles 2')
	in_use $one 1
	fine sample $one --interval=10 --no-deliver
	ends "$said"
}
ours=$(object $one 20 null 0 10)

# Others' text, with all that quotes, formats and SQL know.
texts=("it's 100%s of \"that\"" "back\\slash \\n \\" '{"ticket":12}' "'; drop table x; --" 'Käse' '{"tessera":1,"nodes":{')
jobs=()
for text in "${texts[@]}"; do
	jobs+=("$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'use-tiles 2')")
	fine run scontrol update jobid="${jobs[-1]}" AdminComment="$text"
done
in_use $one ${#texts[@]}
fine sample $one --interval=10 --no-deliver
ends "${jobs[@]}"
for n in "${!texts[@]}"; do is 'as others wrote it' "${texts[n]}" "$(comment "${jobs[n]}")"; done
tells $one "${jobs[@]}"
for n in "${!texts[@]}"; do is 'it stays, and ours comes' "${texts[n]} $ours" "$(comment "${jobs[n]}")"; done
# Written when the job had ended.
finished
fine run sacctmgr -iQ modify job where jobid="$said" set AdminComment='watched by joe' >/dev/null
tells $one "$said"
is 'it stays, and ours comes' "watched by joe $ours" "$(comment "$said")"

# Relatives: an array, whose last task has the array's number, and a heterogeneous job.
array=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --array=1-3 --wrap 'use-tiles 2')
in_use $one 3
fine run scontrol update jobid="${array}_2" AdminComment=two
fine sample $one --interval=10
ends "$array"
for task in 1 2 3; do tells $one "${array}_$task"; done
for task in 1 3; do is "task $task" "$ours" "$(comment "${array}_$task")"; done
is 'task 2' "two $ours" "$(comment "${array}_2")"
het=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 : -w $two --gres=rdu:1 --wrap 'srun --het-group=0,1 use-tiles 2')
in_use $one 1
in_use $two 1
fine sample $one --interval=10
ends "$het"
tells $one "$het+0"
is 'the first component' "$ours" "$(comment "$het+0")"
is 'not the second' '' "$(comment "$het+1")"
forget

# slurmdbd is down: the note stays until it is there again.
finished
elsewhere=$TESSERA_LAB/etc/no-slurmdbd.conf
trap 'rm -f "$elsewhere"' EXIT
sed 's/^AccountingStoragePort=.*/AccountingStoragePort=1/; s/^MessageTimeout=.*/MessageTimeout=5/' "$TESSERA_LAB/etc/slurm.conf" >"$elsewhere"
code=0
told=$(env SLURM_CONF="$elsewhere" "$TESSERA_LAB/bin/tessera" sample --node=$one --conf="$conf" 2>&1) || code=$?
is 'exit code' 3 "$code"
like 'a sentence' 'tessera: slurmdbd does not answer .*: what was used is kept here until it does' "$told"
is 'the note stays' 20 "$(used $one "$said" tiles)"
is 'nothing is told' '' "$(comment "$said")"
tells $one "$said"
is 'now it is' "$ours" "$(comment "$said")"
is 'the note is gone' '' "$(used $one "$said" tiles)"

# A note that somebody damaged: the rest is told all the same.
finished
echo rubbish >"$TESSERA_LAB/state/$one/used.999999"
complains() { ! refuses=$(sample $one 2>&1) && grep -q 'used.999999 is damaged' <<<"$refuses" && [ "$(comment "$said")" = "$ours" ]; }
await 'it is named, and others are told' complains
forget
