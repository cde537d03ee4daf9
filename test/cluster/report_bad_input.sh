#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera report with invalid input gives a message, an exit code, and no incomplete sum.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
tmp=$(mktemp -d)
chmod 755 "$tmp"
trap 'rm -rf "$tmp"' EXIT

# ends CODE PATTERN ARGUMENT...: report exits with CODE and prints one line that matches PATTERN.
ends() {
	local code=$1 words=$2 got
	shift 2
	run tessera report --conf="$conf" "$@" >"$tmp/out" 2>"$tmp/err"
	got=$?
	is "the exit code of report $*" "$code" "$got"
	like "the message of report $*" "^tessera: .*$words" "$(cat "$tmp/err")"
	is "one line is printed by report $*" 1 "$(wc -l <"$tmp/err")"
}
silent() { is 'standard output is empty' '' "$(cat "$tmp/out")"; }

ends 1 "--start: 'tomorrowish' is not a time" --start=tomorrowish && silent
ends 1 "--end: '' is not a time" --end= && silent
ends 1 'the end, 2026-01-01T00:00:00, is not after the start, 2026-01-02T00:00:00' --start=2026-01-02 --end=2026-01-01 && silent
ends 1 'is not after the start' --start=2026-01-02 --end=2026-01-02 && silent
ends 1 "no user 'nobody-of-that-name'" --user=tess-ann,nobody-of-that-name && silent
ends 1 "knows no account 'alchemy'" --account=physics,alchemy && silent
ends 1 "--job: 'x' is not a job" --job=x && silent
ends 1 "--job: '1_' is not a job" --job=1_ && silent
ends 1 "has an empty part" --user=tess-ann, && silent
ends 2 "--by=moon must be user, account, job, day or node" --by=moon && silent
ends 2 "unknown column 'moon'" -o moon && silent
ends 2 'only one of' --json --csv && silent
ends 2 '--chart and --svg cannot be combined with' --chart --json && silent
ends 3 'cannot write' --svg="$tmp/no/such/file" && silent

# An empty result is not an error.
ends 0 'no matching job held accelerators from 2001-01-01T00:00:00 to 2001-02-01T00:00:00' --start=2001-01-01 --end=2001-02-01 --json
is 'the list is empty' '[]' "$(tr -d ' \n' <"$tmp/out")"

# No slurmdbd at the configured address.
sed "s/^AccountingStoragePort=.*/AccountingStoragePort=1/" "$TESSERA_LAB/etc/slurm.conf" >"$tmp/slurm.conf"
run env SLURM_CONF="$tmp/slurm.conf" tessera report --conf="$conf" --json >"$tmp/out" 2>"$tmp/err"
is 'the exit code is 3 without slurmdbd' 3 $?
like 'the message names slurmdbd' '^tessera: slurmdbd did not answer' "$(cat "$tmp/err")"
silent

# A damaged usage summary of a job: its allocation is known, its use is not, and the report names
# the job.
start=$(date +%FT%T)
good=$(ann sbatch --parsable -o /dev/null --gres=rdu_tile:4 --wrap 'sleep 1')
bad=$(ann sbatch --parsable -o /dev/null --gres=rdu_tile:4 --wrap 'sleep 1')
reaches "$good" COMPLETED
reaches "$bad" COMPLETED
ended() { ! run sacct -nXPj "$good,$bad" -o end | grep -q Unknown; }
await 'slurmdbd has the end of the jobs' ended
kept='{"tessera":1,"nodes":{"sn30-r1-h1":{"tile":2,"ipu":null,"outside":0,"seen":1}}}'
for node in sn30-r1-h1 sn30-r1-h2; do
	run sacct -nXPj "$good" -o nodelist | grep -qx $node && kept=${kept/sn30-r1-h1/$node}
done
# Written to the database, since sacctmgr cannot write a quotation mark.
comment() { mariadb --no-defaults --socket="$TESSERA_LAB/run/mariadb.socket" slurm_acct_db -e "UPDATE lab_job_table SET admin_comment = '$2' WHERE id_job = $1"; }
fine comment "$good" "$kept"
fine comment "$bad" '{"tessera":1,"nodes":{"'
ends 1 "of 1 jobs are damaged.*job $bad" --start="$start" --job="$good,$bad" --by=job --csv -o job,used_tile_seconds,known_used_tile_seconds
is 'the use of each job' "$good,2,2 $bad,,0" "$(sed 1d "$tmp/out" | xargs)"
ends 1 "is damaged" --start="$start" --job="$good,$bad" --csv -o user,jobs,used_tile_seconds,known_used_tile_seconds
is 'the use of both jobs' 'tess-ann,2,,2' "$(sed 1d "$tmp/out")"
# Reports of later scenarios in this lab must not find it.
fine comment "$bad" ''

# Names are printed as text.
run sacctmgr -iQ add account 'r<b>&d' >/dev/null
run sacctmgr -iQ add user tess-ann account='r<b>&d' >/dev/null
odd=$(ann sbatch --parsable -A 'r<b>&d' -o /dev/null --gres=rdu_tile:1 --wrap 'sleep 1')
reaches "$odd" COMPLETED
await 'slurmdbd has the end of the job' eval '! run sacct -nXPj "$odd" -o end | grep -q Unknown'
fine run tessera report --conf="$conf" --by=account --job="$odd" --svg="$TESSERA_LAB/home/report.svg"
fine /usr/bin/python3 - "$TESSERA_LAB/home/report.svg" <<'PYTHON'
import sys, xml.dom.minidom
page = xml.dom.minidom.parse(sys.argv[1])
texts = ["".join(c.data for c in t.childNodes) for t in page.getElementsByTagName("text")]
assert 'r<b>&d' in texts, texts
assert not page.getElementsByTagName("script") and not page.getElementsByTagName("b")
PYTHON
rm -f "$TESSERA_LAB/home/report.svg"
fine run sacctmgr -iQ delete user tess-ann account='r<b>&d' >/dev/null
fine run sacctmgr -iQ delete account 'r<b>&d' >/dev/null

# slurmdbd accepts the query and does not answer: the report times out.
read -r slurmdbd _ <"$TESSERA_LAB/pids/slurmdbd"
kill -STOP "$slurmdbd"
trap 'kill -CONT "$slurmdbd"; rm -rf "$tmp"' EXIT
TESSERA_PATIENCE=1 ends 3 'timed out waiting for slurmdbd' && silent
kill -CONT "$slurmdbd"

# The same when only the database of accounts makes slurmdbd wait.
touch "$tmp/asking"
mariadb --no-defaults --socket="$TESSERA_LAB/run/mariadb.socket" slurm_acct_db >/dev/null < <(
	echo 'LOCK TABLES acct_table WRITE; SELECT 1;'
	await 'the report has ended' test ! -e "$tmp/asking"
) &
locked() { [ "$(mariadb --no-defaults --socket="$TESSERA_LAB/run/mariadb.socket" -BN -e "SHOW OPEN TABLES FROM slurm_acct_db LIKE 'acct_table'" | cut -f3)" = 1 ]; }
await 'the table of accounts is locked' locked
TESSERA_PATIENCE=1 ends 3 'timed out waiting for slurmdbd' --account=physics && silent
rm "$tmp/asking"
wait
