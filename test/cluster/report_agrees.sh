#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera report agrees to the second with sacct and sreport, for about a hundred jobs of two users
# and accounts, in every state, and in windows that cut jobs. sacct is compared for the time in
# which they ran, sreport for copies of them in past hours.
. "$(dirname "$0")/lib.sh"

tmp=$(mktemp -d)
chmod 755 "$tmp"
copies=1000000 # added to the number of a job whose copy it is
trap 'db "DELETE j, s FROM lab_job_table j LEFT JOIN lab_suspend_table s USING (job_db_inx) WHERE id_job >= $copies"; run scancel --quiet -n report_agrees 2>/dev/null; rm -rf "$tmp"' EXIT
cc -o "$tmp/rollup" "$top/test/cluster/rollup.c" -lslurm || fail 'rollup.c does not compile'

db() { mariadb --no-defaults --socket="$TESSERA_LAB/run/mariadb.socket" -BN slurm_acct_db -e "$1"; }
stamp() { date -d "@$1" +%FT%T; }
batch() { "$1" sbatch --parsable -J report_agrees -o /dev/null "${@:2}"; }
report() { fine run tessera report --conf="$TESSERA_LAB/etc/tessera.conf" "$@"; }

# Both users have both accounts.
run sacctmgr -iQ add user tess-ann account=biology >/dev/null
run sacctmgr -iQ add user tess-bob account=physics >/dev/null

# A new second: sacct also reports jobs of an earlier scenario that ended in the first second of the window.
from=$(($(date +%s) + 1))
begun() { [ "$(date +%s)" -ge "$from" ]; }
await 'the window begins' begun

# A job that is suspended for a while and runs to the end of the window, and a requeued one.
running=$(batch ann --gres=rdu_tile:4 --wrap 'sleep 600')
again=$(batch bob -w sn30-r1-h1 --gres=rdu:2 --requeue --wrap '[ -n "$SLURM_RESTART_COUNT" ] || sleep 600')
reaches "$running" RUNNING
reaches "$again" RUNNING
fine run scontrol suspend "$running"

# Many short jobs.
batch ann --array=1-60 --gres=rdu_tile:4 --wrap 'sleep 0.$((RANDOM % 9)); exit $((RANDOM % 3))' >/dev/null
batch ann --array=1-20 -A biology --gres=rdu:1 --wrap 'sleep 1' >/dev/null
batch bob --array=1-40 --gres=rdu:1 --wrap 'sleep 0.$((RANDOM % 9))' >/dev/null
batch bob --array=1-20 -A physics -p sn10 --gres=rdu_tile:1 --wrap 'sleep 1' >/dev/null
batch bob --array=1-20 -p p64 --ipus=2 --wrap 'sleep 1' >/dev/null
batch ann --array=1-4 --csx=1 --wrap 'sleep 1' >/dev/null
batch ann --array=1-5 --wrap true >/dev/null
batch ann -N2 --gres=rdu:3 --wrap 'sleep 1' >/dev/null
batch bob --gres=rdu_tile:2 : --gres=rdu:1 --wrap 'sleep 1' >/dev/null
cancelled=$(batch bob --gres=rdu_tile:8 --wrap 'sleep 600')
waiting=$(batch bob --hold --gres=rdu:8 --wrap true)

reaches "$cancelled" RUNNING
fine run scancel "$cancelled" "$waiting"
fine run scontrol requeue "$again"
reaches "$again" PENDING
# Slurm does not start it on the same node for a while.
await 'Slurm allows it to start on another node' eval 'run scontrol update jobid="$again" ReqNodeList=sn30-r1-h2 StartTime=now 2>/dev/null'
reaches "$again" COMPLETED
fine run scontrol resume "$running"
all_but_one() { [ "$(run squeue -h -o %i)" = "$running" ]; }
await 'the other jobs have ended' all_but_one
to=$(($(date +%s) + 1))
middle=$(((from + to) / 2))
past() { [ "$(date +%s)" -gt "$to" ]; }
await 'the window is over' past
# slurmctld updates slurmdbd with a delay: all runs with an allocation, the requeued job twice, and
# the components of the heterogeneous job.
number=$((2 + 1 + 60 + 20 + 40 + 20 + 20 + 4 + 1 + 2 + 1))
told() {
	local records
	records=$(run sacct -aXDnP -S "$(stamp "$from")" -E "$(stamp "$to")" -o jobid,end,alloctres | grep -E 'rdu|license')
	[ "$(wc -l <<<"$records")" = "$number" ] && ! grep -v "^$running|" <<<"$records" | grep -q Unknown
}
await "slurmdbd has $number runs and their ends" told

# sacct_sums KEY FROM TO: for each KEY (user or account) the seconds of RDUs, tiles, IPUs and csx,
# by record. A suspended job keeps its tiles, although sacct does not count that time as elapsed;
# sreport does.
sacct_sums() {
	run sacct -aXDTnP -S "$(stamp "$2")" -E "$(stamp "$3")" -o "$1,elapsedraw,alloctres,suspended" | awk -F'|' '
		{
			split($4, part, ":")
			seconds = $2 + part[1] * 3600 + part[2] * 60 + part[3]
			count = split($3, tres, ",")
			for (i = 1; i <= count; i++) {
				split(tres[i], pair, "=")
				sum[$1, pair[1]] += seconds * pair[2]
				if (pair[1] ~ /^(gres|license)\//) names[$1]
			}
		}
		END {
			for (n in names)
				printf "%s,%d,%d,%d,%d\n", n, sum[n, "gres/rdu"], sum[n, "gres/rdu_tile"], sum[n, "license/ipu"], sum[n, "license/csx"]
		}' | held
}
# Without rows of zero: sacct has rows for jobs that ended just when the window begins.
held() { grep -v ',0,0,0,0$' | sort; }
report_sums() { report --csv --by="$1" -S "$(stamp "$2")" -E "$(stamp "$3")" -o "$1,rdu_seconds,tile_seconds,ipu_seconds,csx_seconds" | sed 1d | held; }

is 'the number of runs' "$number" "$(report --csv --by=account -S "$(stamp "$from")" -E "$(stamp "$to")" -o jobs | awk 'NR > 1 { n += $1 } END { print n }')"
is 'the requeued job has two runs' 2 "$(report --csv --by=job -j "$again" -o jobs | sed 1d)"
is 'the number of components' "$(run sacct -aXDnP -S "$(stamp "$from")" -o jobid | grep -c +)" "$(report --csv --by=job -S "$(stamp "$from")" -o job | grep -c +)"
for window in "$from $to" "$middle $to" "$from $middle" "$((from + 3)) $((middle + 1))"; do
	read -r start end <<<"$window"
	for by in user account; do
		wanted=$(sacct_sums $by "$start" "$end")
		like "some allocation was counted" '[1-9]' "$wanted"
		is "the sums by $by, from $start to $end" "$wanted" "$(report_sums $by "$start" "$end")"
	done
	total=$(report_sums account "$start" "$end" | awk -F, '{ for (i = 2; i <= NF; i++) sum[i] += $i } END { print sum[2], sum[3], sum[4], sum[5] }')
	for by in job day node; do
		is "the total by $by" "$total" "$(report_sums $by "$start" "$end" | awk -F, '{ for (i = 2; i <= NF; i++) sum[i] += $i } END { print sum[2], sum[3], sum[4], sum[5] }')"
	done
done
fine run scancel "$running"
await 'the job has ended' no_jobs
await 'slurmdbd has the end of the job' eval '! run sacct -nXPj "$running" -o end | grep -q Unknown'

# Copies of the same jobs, a day and some hours ago, with the end of an hour in the middle of the window, however short
# that is. slurmdbd then rolls them up.
hour=$(($(date +%s) / 3600 * 3600))
shift=$((middle - (hour - 26 * 3600)))
first=$((hour - 30 * 3600))
columns=$(db "SELECT GROUP_CONCAT(CONCAT('\`', column_name, '\`')) FROM information_schema.columns WHERE table_schema = DATABASE() AND
	table_name = 'lab_job_table' AND column_name NOT IN ('job_db_inx', 'id_job', 'time_submit', 'time_eligible', 'time_start', 'time_end')")
db "INSERT INTO lab_job_table (id_job, time_submit, time_eligible, time_start, time_end, $columns)
	SELECT id_job + $copies, time_submit - $shift, time_eligible - $shift, time_start - $shift, time_end - $shift, $columns
	FROM lab_job_table WHERE id_job < $copies AND time_submit >= $from AND time_end > 0 AND time_start > 0 AND time_eligible > 0;
	INSERT INTO lab_suspend_table (job_db_inx, id_assoc, time_start, time_end)
	SELECT copy.job_db_inx, s.id_assoc, s.time_start - $shift, s.time_end - $shift FROM lab_suspend_table s
	JOIN lab_job_table job USING (job_db_inx)
	JOIN lab_job_table copy ON copy.id_job = job.id_job + $copies AND copy.time_submit = job.time_submit - $shift"
# Rows of an earlier run of this scenario in those hours.
db "DELETE FROM lab_assoc_usage_hour_table WHERE time_start >= $first AND time_start < $hour"
# sreport prints nothing for hours in which the cluster did not exist.
db "UPDATE lab_event_table SET time_start = $first WHERE node_name = '' ORDER BY time_start LIMIT 1"
fine run "$tmp/rollup" "$first" "$hour"
sreport_sums() {
	run sreport -nP -t seconds -T gres/rdu,gres/rdu_tile,license/ipu,license/csx cluster AccountUtilizationByUser \
		start="$(stamp "$first")" end="$(stamp "$hour")" | awk -F'|' '
		$3 != "" { sum[$3, $5] += $6; names[$3] }
		END {
			for (n in names)
				printf "%s,%d,%d,%d,%d\n", n, sum[n, "gres/rdu"], sum[n, "gres/rdu_tile"], sum[n, "license/ipu"], sum[n, "license/csx"]
		}' | held
}
wanted=$(sreport_sums)
like 'sreport has sums' 'tess-ann,[1-9].*' "$wanted"
is 'report agrees with sreport' "$wanted" "$(report_sums user "$first" "$hour")"
is 'the copies span two hours' 2 "$(db "SELECT COUNT(DISTINCT time_start) FROM lab_assoc_usage_hour_table WHERE alloc_secs > 0 AND time_start >= $first AND time_start < $hour - 12 * 3600 AND id_tres = 1002")"
