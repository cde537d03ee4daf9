#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The report of a user has what Slurm allows: the jobs of all users, or only the user's own where
# slurmdbd keeps jobs private. Jobs of another cluster with the same slurmdbd are not counted.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
dbd=$TESSERA_LAB/etc/slurmdbd.conf
cp -p "$dbd" "$dbd.saved"
trap 'mv -f "$dbd.saved" "$dbd"; run sacctmgr reconfigure' EXIT
users() { "$1" tessera report --conf="$conf" --start=now-1hour --csv -o user 2>/dev/null | grep tess- | sort | xargs; }

fine ann srun --gres=rdu:1 true
fine bob srun --gres=rdu:1 true
both() { [ "$(users run)" = 'tess-ann tess-bob' ]; }
await 'the jobs of both users are accounted' both
is 'a user sees all jobs' 'tess-ann tess-bob' "$(users ann)"
echo PrivateData=jobs >>"$dbd"
fine run sacctmgr reconfigure
alone() { [ "$(users ann)" = tess-ann ]; }
await 'a user sees only her own jobs' alone
is 'root sees all jobs' 'tess-ann tess-bob' "$(users run)"
is 'bob sees his own jobs' tess-bob "$(users bob)"

# Another cluster with the same job numbers.
db() { mariadb --no-defaults --socket="$TESSERA_LAB/run/mariadb.socket" -N slurm_acct_db -e "$1"; }
trap 'mv -f "$dbd.saved" "$dbd"; db "DELETE FROM other_job_table"; run sacctmgr -iQ delete cluster other >/dev/null; run sacctmgr reconfigure' EXIT
# slurmdbd has the end of a job a little later than the user. (For a job that gave its nodes to
# another it has an end in a year.)
settled() { no_jobs && [ "$(run sacct -aXn -s RUNNING,PENDING,SUSPENDED -o state | grep -cE 'RUNNING|PENDING|SUSPENDED')" = 0 ]; }
await 'slurmdbd has the end of all jobs' settled
end=$(date +%FT%T)
sums() { run tessera report --conf="$conf" --start=now-1hour --end="$end" --csv 2>/dev/null; }
before=$(sums)
like 'ann has jobs to count' tess-ann "$before"
fine run sacctmgr -iQ add cluster other >/dev/null
fine db 'INSERT INTO other_job_table SELECT * FROM lab_job_table'
is 'jobs of the other cluster are not counted' "$before" "$(sums)"
