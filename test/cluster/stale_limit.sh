#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119
# StaleWait is longer than Slurm lets an epilog run: it gives up before Slurm ends it, or kills in time where it shall, and
# so nobody can have a node drained by a process that is left behind. Who ends the epilog all the same frees no tiles.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/stale.bash"

slurm=$TESSERA_LAB/etc/slurm.conf
cp "$slurm" "$slurm.saved"
undo() {
	end_left
	rewrite "$conf" <"$conf.saved"
	rewrite "$slurm" <"$slurm.saved"
	rm -f "$conf.saved" "$slurm.saved" "$TESSERA_LAB"/use/*
	run scontrol reconfigure
	run scontrol update nodename=$node state=resume 2>/dev/null
}
trap undo EXIT
policy 'StaleWait = 3600'

# An epilog that is ended in the middle: Slurm takes the node away for that, but the tiles stay where they are.
job=$(leave)
kept_back "$job"
epilog=$(epilog_of)
is 'one epilog' 1 "$(wc -w <<<"$epilog")"
kill -KILL "$epilog"
finishes "$job"
like 'kept back' "^job $job .* state stale " "$(rows $node)"
await 'Slurm has taken the node away' eval "run sinfo -hn $node -o %T | grep -q '^drain'"
run scontrol update nodename=$node state=resume
await 'the node is back' eval "run sinfo -hn $node -o %T | grep -q '^idle'"
end_left
is 'the next job' 0x00000000000000ff "$(mask bob)"

{ cat "$slurm.saved" && echo 'PrologEpilogTimeout=6'; } | rewrite "$slurm"
fine run scontrol reconfigure
limited() { run scontrol show config | grep -q '^PrologEpilogTimeout *= 6$'; }
await 'Slurm has the limit' limited
job=$(leave --stubborn)
finishes "$job"
like 'kept back' "^job $job .* state stale " "$(rows $node)"
unlike 'the node stays' 'drain|down|fail' "$(run sinfo -hn $node -o '%T %E')"
policy 'StaleHolders = kill' 'StaleWait = 3600'
job2=$(leave --stubborn)
finishes "$job2"
like 'only what was not to be killed' "^job $job .* state stale " "$(rows $node)"
given_back "$job2"
unlike 'the node stays' 'drain|down|fail' "$(run sinfo -hn $node -o '%T %E')"
is 'politely first' '1 1' "$(logged "$job2" 'sent SIGTERM to its process') $(logged "$job2" 'sent SIGKILL to its process')"
end_left
fine reap >/dev/null
is 'all is free' '' "$(rows $node)"
