#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A million jobs in slurmdbd: the time of tessera report against sacct, which prints the same rows, and its memory for a
# tenth of the time and for all of it. The rows are written to the database in the form of slurmdbd.
set -u
jobs=${JOBS:-1000000}
rounds=${ROUNDS:-3}
days=100
base=/tmp/tessera-bench.$$
lab=test/lab/lab
export LAB_QUIET=1 TESSERA_LAB=$base
trap '$lab down 2>/dev/null' EXIT
# shellcheck source=test/prepare.sh
. test/prepare.sh
install_packages "${packages_db[@]}"
$lab up --db --nodes sn30:1 || exit 1

db() { mariadb --no-defaults --socket="$base/run/mariadb.socket" -BN slurm_acct_db -e "$1"; }
end=$(($(date +%s) / 86400 * 86400))
start=$((end - days * 86400))
step=$((days * 86400))

# Jobs of two users of up to an hour, one after the other; a third of them has a usage summary.
db "INSERT INTO lab_job_table (account, admin_comment, cpus_req, job_name, id_assoc, id_job, id_resv, id_wckey, id_user, id_group,
		het_job_id, het_job_offset, state_reason_prev, nodelist, nodes_alloc, node_inx, \`partition\`, priority, state, timelimit,
		time_submit, time_eligible, time_start, time_end, work_dir, submit_line, tres_alloc, tres_req)
	SELECT a.acct, IF(seq % 3 = 0, CONCAT('{\"tessera\":1,\"nodes\":{\"sn30-r1-h1\":{\"tile\":', seq % 4000, ',\"ipu\":null,\"outside\":0,\"seen\":600}}}'), NULL),
		1, 'train', a.id_assoc, seq, 0, 0, 1000, 1000, 0, 4294967294, 0, 'sn30-r1-h1', 1, '0', 'sambanova', 1, 3, 60,
		t, t + 5, t + 20 + seq % 60, t + 21 + seq % 60 + seq % 3600, '/home/user/project', 'sbatch --gres=rdu:2 run.sh',
		'1=1,4=1,5=1,1001=2,1002=16', '1=1,4=1,5=1,1001=2,1002=16'
	FROM (SELECT seq, $start + seq * $step DIV $jobs AS t FROM seq_1_to_$jobs) s
	JOIN lab_assoc_table a ON a.user = IF(seq % 2 = 0, 'tess-ann', 'tess-bob');
	ANALYZE TABLE lab_job_table" >/dev/null || exit 1

stamp() { date -d "@$1" +%FT%T; }
# measure NAME CMD...: append the seconds and the maximum memory in KB of one run to the file NAME.
measure() {
	local name=$1
	shift
	"$lab" run /usr/bin/python3 -c '
import resource, subprocess, sys, time
start = time.monotonic()
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print("%.2f %d" % (time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)' "$@" >>"$base/$name" || exit 1
}
report() { measure "$1" tessera report --conf="$base/etc/tessera.conf" --by=user -S "$(stamp "$2")" -E "$(stamp "$end")"; }

for ((i = 0; i < rounds; i++)); do
	report tenth $((end - step / 10))
	report all "$start"
	measure sacct sacct -aXDnP -S "$(stamp "$start")" -E "$(stamp "$end")" -o jobid,user,account,partition,nodelist,eligible,start,end,alloctres,admincomment
done

middle() { sort -n "$base/$1" | awk -v field="$2" '{ v[NR] = $field } END { print v[int((NR + 1) / 2)] }'; }
printf '%-62s %9s %9s\n' "$jobs jobs in $days days, medians of $rounds runs" time memory
for name in all tenth sacct; do
	case $name in
	all) text='tessera report --by=user, all of it' ;;
	tenth) text='tessera report --by=user, the last tenth' ;;
	sacct) text='sacct printing the same rows' ;;
	esac
	printf '%-62s %7.2f s %6d MB\n' "$text" "$(middle $name 1)" $(($(middle $name 2) / 1024))
done
awk -v a="$(middle all 1)" -v b="$(middle sacct 1)" -v m="$(middle all 2)" -v n="$(middle tenth 2)" 'BEGIN {
	printf "time against sacct: %.2f   goal: 1, %s\n", a / b, a <= b ? "met" : "not met"
	printf "memory of ten times the history: %.2f   goal: 1.25, %s\n", m / n, m <= 1.25 * n ? "met" : "not met"
}'
