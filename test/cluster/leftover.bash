# shellcheck shell=bash disable=SC2034,SC2119,SC2120,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions for scenarios about processes that jobs leave behind.

conf=$TESSERA_LAB/etc/tessera.conf
node=sn30-r1-h1
device=$TESSERA_LAB/dev/$node/rdu
ann_id=$(id -u tess-ann)
bob_id=$(id -u tess-bob)

# policy LINE...: tessera.conf with these lines added or replaced, until the end of the scenario.
cp "$conf" "$conf.saved"
restore_leftovers() {
	kill_leftovers
	mv -f "$conf.saved" "$conf"
	rm -f "$TESSERA_LAB"/use/*
}
trap restore_leftovers EXIT
with_policy() { with_lines "$conf.saved" "$@" | awk '{ key[NR] = $1; line[NR] = $0; last[$1] = NR }
	END { for (i = 1; i <= NR; i++) if (line[i] !~ /^[A-Z][A-Za-z]* =/ || last[key[i]] == i) print line[i] }'; }
policy() { rewrite "$conf" with_policy "$@"; }

# leave_process [OPTION]...: submit ann's job, which leaves a process behind, and print its number.
leave_process() { ann sbatch --parsable -o /dev/null -w $node "${want:---gres=rdu:1}" --wrap "use-tiles --leave $*"; }

# leftover_pids: the processes on the device.  kill_leftovers: kill them and wait for their end.
leftover_pids() { device_users $node; }
has_device_users() { [ "$(device_users $node | wc -l)" = "$1" ]; }
kill_leftovers() {
	local pid
	for pid in $(leftover_pids); do kill -KILL "$pid" 2>/dev/null; done
	await 'the leftover processes have ended' no_device_users
}

# await_withheld JOB: its tiles are withheld; the row of the ledger is left in $row.
is_withheld() { grep -q "^job $1 uid [0-9]* state withheld " <<<"$(rows $node)"; }
await_withheld() {
	await "the tiles of job $1 are withheld" is_withheld "$1"
	row=$(rows $node | grep "^job $1 .* withheld ")
}
has_no_row() { ! grep -q "^job $1 " <<<"$(rows $node)"; }
await_released() { await "the tiles of job $1 are released" has_no_row "$1"; }
finished() { [ -z "$(run squeue -hj "$1" -o %T 2>/dev/null)" ]; }
finishes() { await "job $1 has left its node" finished "$1"; }

# epilog_of: the epilogs that run in this lab.
epilog_of() {
	local process
	for process in /proc/[0-9]*; do
		tr '\0' ' ' 2>/dev/null <"$process/cmdline" | grep -q 'slurmstepd.* spank epilog' &&
			grep -qsxzF "SLURM_CONF=$TESSERA_LAB/etc/slurm.conf" "$process/environ" && echo "${process##*/}"
	done
}

mask() { "$@" srun -w $node --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY; }
status() { ann tessera status --node=$node "$@"; }
reap() { run tessera reap --node=$node --conf="$conf" "$@"; }
# logged JOB PATTERN: how many lines of slurmd's log say so.
logged() { grep -c -e "tessera: job $1[ :].*$2" "$TESSERA_LAB/log/$node.log"; }
