#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmd and slurmctld can be restarted under a running job without effect on it.
. "$(dirname "$0")/lib.sh"

job=$(ann sbatch --parsable -o /dev/null -w sn30-r1-h2 --gres=rdu:2 --wrap 'until [ -e go ]; do sleep 0.1; done; exit 7')
await 'the job runs' eval "[ \"\$(run squeue -hj $job -o %T)\" = RUNNING ]"
read -r before _ <"$TESSERA_LAB/pids/sn30-r1-h2"
fine "$lab" restart sn30-r1-h2
read -r after _ <"$TESSERA_LAB/pids/sn30-r1-h2"
[ "$before" != "$after" ] || fail 'slurmd was not restarted'
fine "$lab" restart ctld
is 'the job still runs' RUNNING "$(run squeue -hj "$job" -o %T)"
touch "$TESSERA_LAB/home/tess-ann/go"
await 'the job has ended with its own exit code' eval "run sacct -nXPj $job -o exitcode | grep -qx 7:0"
rm "$TESSERA_LAB/home/tess-ann/go"

refused "$lab" restart sn99
like 'an unknown node is refused' "there is no node 'sn99'" "$said"
