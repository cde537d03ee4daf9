#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job on two nodes: both tell, one after the other or at the same time, and neither's word is lost. A job that is run again is
# told of by its last run alone.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/samples.bash"
forget

job=$(ann sbatch --parsable -o /dev/null -N2 -w $one,$two --gres=rdu:1 --wrap 'srun use-tiles 3')
in_use $one 1
in_use $two 1
fine sample $one --interval=10
fine sample $two --interval=20
is 'each node its own' '30 60' "$(used $one "$job" tiles) $(used $two "$job" tiles)"
ends "$job"
tells $one "$job"
is 'one has told' "$(object $one 30 null 0 10)" "$(comment "$job")"
is 'and looks again next time' 30 "$(used $one "$job" tiles)"
fine sample $two
both="{\"tessera\":1,\"nodes\":{$(member $one 30 null 0 10),$(member $two 60 null 0 20)}}"
is 'both have told' "$both" "$(comment "$job")"

# Somebody's writing has lost ours, which it had not seen: it is told again, and the notes go when it lasts.
fine run sacctmgr -iQ modify job where jobid="$job" set AdminComment=gone >/dev/null
fine sample $one
is 'told again' "gone $(object $one 30 null 0 10)" "$(comment "$job")"
fine sample $two
is 'both' "gone $both" "$(comment "$job")"
fine sample $one
fine sample $two
is 'it lasts' "gone $both" "$(comment "$job")"
is 'the notes are gone' '' "$(ls "$TESSERA_LAB/state/$one/used.$job" "$TESSERA_LAB/state/$two/used.$job" 2>/dev/null)"

# At the same time, several times over.
for _ in 1 2 3; do
	job=$(ann sbatch --parsable -o /dev/null -N2 -w $one,$two --gres=rdu:1 --wrap 'srun use-tiles 3')
	in_use $one 1
	in_use $two 1
	fine sample $one --interval=10
	fine sample $two --interval=20
	ends "$job"
	sample $one &
	fine sample $two
	fine wait $!
	tells $one "$job"
	tells $two "$job"
	fine sample $one
	is 'both have told' '30 60' "$(comment "$job" | sed "s/.*\"$one\":{\"tile\":\([0-9]*\).*/\1/") $(comment "$job" | sed "s/.*\"$two\":{\"tile\":\([0-9]*\).*/\1/")"
	fine sample $two
	is 'the notes are gone' '' "$(ls "$TESSERA_LAB/state/$one/used.$job" "$TESSERA_LAB/state/$two/used.$job" 2>/dev/null)"
done

# Run again, on another node.
job=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --requeue --wrap 'use-tiles 2')
in_use $one 1
fine sample $one --interval=100
fine run scontrol requeue "$job"
await 'it waits' is_state "$job" PENDING
fine sample $one
is 'what it used is kept while it waits' 200 "$(used $one "$job" tiles)"
await 'Slurm lets it start elsewhere' eval "run scontrol update jobid=$job ReqNodeList=$two StartTime=now 2>/dev/null"
in_use $two 1
fine sample $two --interval=10
ends "$job"
tells $two "$job"
is 'the last run' "$(object $two 20 null 0 10)" "$(comment "$job")"
said=$(sample $one 2>&1) || broken "sample failed: $said"
like 'the earlier one is forgotten' "what job $job used is forgotten: it was run again since," "$said"
is 'the last run' "$(object $two 20 null 0 10)" "$(comment "$job")"
forget
