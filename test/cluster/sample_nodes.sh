#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Both nodes of a job deliver its usage, one after the other or at the same time, and neither part
# is lost. Of a requeued job only the last run is delivered.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/samples.bash"
clear_samples

job=$(ann sbatch --parsable -o /dev/null -N2 -w $one,$two --gres=rdu:1 --wrap 'srun use-tiles 3')
in_use $one 1
in_use $two 1
fine sample $one --interval=10
fine sample $two --interval=20
is 'each node has its own record' '30 60' "$(sample_value $one "$job" tiles) $(sample_value $two "$job" tiles)"
ends "$job"
ended "$job" 0
await_delivered $one "$job"
is 'the usage of the first node is delivered' "$(object $one 30 null 0 10)" "$(comment "$job")"
is 'its record stays for the next check' 30 "$(sample_value $one "$job" tiles)"
fine sample $two
both="{\"tessera\":1,\"nodes\":{$(member $one 30 null 0 10),$(member $two 60 null 0 20)}}"
is 'the usage of both nodes is delivered' "$both" "$(comment "$job")"

# Another writer has overwritten our object: it is delivered again, and the records are removed when
# it stays.
fine run sacctmgr -iQ modify job where jobid="$job" set AdminComment=gone >/dev/null
ended "$job" 0
fine sample $one
is 'the usage of the first node is delivered again' "gone $(object $one 30 null 0 10)" "$(comment "$job")"
fine sample $two
is 'the usage of both nodes is delivered again' "gone $both" "$(comment "$job")"
fine sample $one
fine sample $two
is 'the comment stays' "gone $both" "$(comment "$job")"
is 'the sample records are removed' '' "$(ls "$TESSERA_LAB/state/$one/used.$job" "$TESSERA_LAB/state/$two/used.$job" 2>/dev/null)"

# Both at the same time, several times.
for _ in 1 2 3; do
	job=$(ann sbatch --parsable -o /dev/null -N2 -w $one,$two --gres=rdu:1 --wrap 'srun use-tiles 3')
	in_use $one 1
	in_use $two 1
	fine sample $one --interval=10
	fine sample $two --interval=20
	ends "$job"
	ended "$job" 0
	sample $one &
	fine sample $two
	fine wait $!
	await_delivered $one "$job"
	await_delivered $two "$job"
	fine sample $one
	is 'the usage of both nodes is delivered' '30 60' "$(comment "$job" | sed "s/.*\"$one\":{\"tile\":\([0-9]*\).*/\1/") $(comment "$job" | sed "s/.*\"$two\":{\"tile\":\([0-9]*\).*/\1/")"
	fine sample $two
	is 'the sample records are removed' '' "$(ls "$TESSERA_LAB/state/$one/used.$job" "$TESSERA_LAB/state/$two/used.$job" 2>/dev/null)"
done

# A requeued job, on another node.
job=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --requeue --wrap 'use-tiles 2')
in_use $one 1
fine sample $one --interval=100
fine run scontrol requeue "$job"
await 'the job is pending' is_state "$job" PENDING
fine sample $one
is 'the record stays while the job is pending' 200 "$(sample_value $one "$job" tiles)"
await 'Slurm allows it to start on another node' eval "run scontrol update jobid=$job ReqNodeList=$two StartTime=now 2>/dev/null"
in_use $two 1
fine sample $two --interval=10
ends "$job"
await_delivered $two "$job"
is 'the usage of the last run is delivered' "$(object $two 20 null 0 10)" "$(comment "$job")"
said=$(sample $one 2>&1) || fail "sample failed: $said"
like 'the record of the earlier run is dropped' "discarding the sample record of job $job: the job was requeued," "$said"
is 'the usage of the last run stays' "$(object $two 20 null 0 10)" "$(comment "$job")"
clear_samples
