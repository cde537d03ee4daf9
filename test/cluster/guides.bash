# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command lines of ALCF's user guides on a cluster like theirs, with stand-ins for the vendors' runtimes. That of
# SambaFlow's (sn-python) runs on four tiles that nobody else has, or fails.

# guide_up NODES HOST PYTHON: a cluster of its own, as the guides' nodes are not the lab's, and users who sit at HOST, with a
# stand-in for python.
guide_up() {
	local user bin
	export TESSERA_LAB=$TESSERA_LAB.guide
	trap guide_down EXIT
	LAB_QUIET=1 "$lab" up --nodes "$1" || broken 'the cluster did not come up'
	cp "$TESSERA_LAB/etc/tessera.conf" "$TESSERA_LAB/etc/tessera.conf.plain"
	for user in ann bob; do
		bin=$(home "$user")/bin
		mkdir -p "$bin" "$(home "$user")"/pef/{lenet,ffn_mnist,logreg,my_model} "$(home "$user")/app-test"
		ln -s "$TESSERA_LAB/bin/$3" "$bin/python"
		ln -s "$TESSERA_LAB/bin/$3" "$bin/python3"
		printf '#!/bin/sh\necho "${SLURMD_NODENAME:-%s}"\n' "$2" >"$bin/hostname"
		guide_paths >"$bin/paths"
		chmod +x "$bin/hostname"
		chown -R "tess-$user" "$(home "$user")"
	done
}

# What the guides call by a path that is not here; bash reads this before each script. mpirun is MPICH's there.
guide_paths() {
	cat <<-'PATHS'
		function /usr/local/bin/sbatch { sbatch "${@/#\/data\/ANL\/scripts/$HOME}"; }
		function /usr/local/bin/srun { srun "$@"; }
		function /opt/slurm/bin/srun { srun "$@"; }
		function /opt/mpich-3.3.2/bin/mpirun { mpirun.mpich "$@"; }
		function /opt/mpich-3.4.3/bin/mpirun { mpirun.mpich "$@"; }
		function source { case $1 in /opt/sambaflow/*) ;; *) builtin source "$@" ;; esac; }
	PATHS
}

# Before the cluster goes: what its daemons said, if something is wrong.
guide_down() {
	local status=$?
	[ "$status" = 0 ] || {
		cat "$(home ann)"/*.out "$(home bob)"/*.out 2>/dev/null | tail -n 20
		grep -hiE 'error|fatal|tessera' "$TESSERA_LAB"/log/*.log |
			grep -vE 'pmix|debug levels|state (save )?file' | tail -n 20
	} >&2
	LAB_QUIET=1 "$lab" down
	exit "$status"
}

# partition_keys NAME KEYS: tessera.conf with these keys in the partition's block, and lines from standard input at its end.
partition_keys() {
	local conf=$TESSERA_LAB/etc/tessera.conf
	{ sed "s/^\(partition $1 { Platform = [a-z0-9-]*\) }/\1 $2 }/" "$conf.plain" && cat; } | rewrite "$conf"
}

# scripts: the guides' scripts from standard input, each below a line ==> NAME, into both users' homes.
scripts() {
	local user name='' line
	while IFS= read -r line; do
		case $line in
		'==> '*)
			name=${line#==> }
			for user in ann bob; do install -m 755 -o "tess-$user" /dev/null "$(home "$user")/$name"; done
			;;
		*) printf '%s\n' "$line" | tee -a "$(home ann)/$name" >>"$(home bob)/$name" ;;
		esac
	done
}

# types USER LINE: as this user would at a prompt.
types() {
	local at
	at=$(home "$1")
	"$lab" as "tess-$1" env SN_MEET="${meet:-}" SN_PROGRAMS="${programs:-}" BASH_ENV="$at/bin/paths" "PATH=$at/bin:$TESSERA_LAB/bin:$PATH" \
		bash -c "$2" </dev/null
}

# type_all: lines USER PROGRAMS TILES LINE from standard input, typed at once, until their jobs have ended. PROGRAMS of LINE
# run at the same time, or one after the other if they are 1+1. Leaves what each program should have in $wanted,
# and the jobs that failed in $failures.
type_all() {
	local user counts tiles line count pids=()
	meet=$TESSERA_LAB/use/meet programs=0 lines='' wanted='' in_turn='' said='' failures=''
	rm -rf "$meet" && mkdir -m 1777 "$meet"
	while read -r user counts tiles line; do
		lines+="$user $line"$'\n'
		programs=$((programs + ${counts%%+*}))
		count=$((counts))
		[ "$count" = "$counts" ] || in_turn=yes
		while [ $((count--)) -gt 0 ]; do wanted+="tess-$user $tiles"$'\n'; done
	done
	while read -r user line; do
		types "$user" "$line" >"$meet.said.${#pids[@]}" 2>&1 &
		pids+=($!)
	done <<<"${lines%$'\n'}"
	for count in "${!pids[@]}"; do
		wait "${pids[count]}" || said+="failed with $?: $(cat "$meet.said.$count")"
	done
	rm -f "$meet.said".*
	await 'the jobs end' no_jobs
	failures=$(failed_jobs)
}

# follow: the same, and all of the programs must run on four tiles, have as many as TILES says to choose these from, and
# those that run at the same time must not have the same ones.
follow() {
	type_all
	is "$lines" '' "$said"
	is "$lines: who had how many tiles" "$(tally <<<"${wanted%$'\n'}")" "$(had | tally)"
	is "$lines: jobs that failed" '' "$failures"
	[ "$in_turn" = yes ] || is "$lines: tiles used twice" '' "$(taken | sort | uniq -d)"
}

# alone: the same, but of ann's, PROGRAMS TILES LINE, and one after the other.
alone() {
	local line
	while read -r line; do follow <<<"ann $line"; done
}

# failed_jobs: those since it was last asked.
failed_jobs() {
	run scontrol -o show jobs | sed -n 's/^JobId=\([0-9]*\) .* JobState=\([A-Z]*\) .*/\1 \2/p' | sort -n >"$meet.jobs"
	awk -v last="$(cat "$meet.last" 2>/dev/null || echo 0)" '$1 > last && $2 != "COMPLETED"' "$meet.jobs"
	tail -n 1 "$meet.jobs" | cut -d' ' -f1 >"$meet.last"
}

# tally: how often each line comes.
tally() { grep . | sort | uniq -c | sed 's/^ *//'; }

# records: what the programs of the lines wrote down.
records() { find "$meet" -type f -exec cat {} +; }
taken() { records | awk '{ print $1, $5 }'; }

# had: for each program USER and the number of tiles in its mask; or why that is not so.
had() {
	local node user job mask tile bits count
	records | while read -r node user job mask tile; do
		if [ "$tile" = none ]; then
			echo "$user none of $mask"
		elif [ "$mask" = unset ]; then
			echo "$user unset"
		else
			for ((bits = mask, count = 0; bits != 0; bits &= bits - 1)); do count=$((count + 1)); done
			if (((mask >> tile & 15) == 15)); then echo "$user $count"; else echo "$user outside $mask on $node in $job"; fi
		fi
	done
}

# After all lines: as left_clean, for a cluster without IPUs.
guide_clean() {
	await 'no tile is held' no_rows
	await 'no step is left' no_steps
	await 'no process has a device open' no_device_holders
	unlike 'nodes taken away' 'drain|down|fail|error|unk' "$(run sinfo -hN -o '%N %T %E')"
}
