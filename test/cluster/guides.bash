# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions for scenarios with the command lines of ALCF's user guides, on a cluster like ALCF's and with
# stand-ins for the vendors' runtimes. The stand-in for SambaFlow (sn-python) takes four tiles that no
# other program uses, or fails.

# guide_up NODES HOST PYTHON: start a second cluster, since the guides' nodes are not the lab's. Its users
# are logged in on HOST and have the stand-in PYTHON as python.
guide_up() {
	local user bin
	export TESSERA_LAB=$TESSERA_LAB.guide
	trap guide_down EXIT
	LAB_QUIET=1 "$lab" up --nodes "$1" || fail 'the cluster did not start'
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

# Functions for programs that the guides call by an absolute path. bash reads them before each script.
# mpirun is MPICH's on ALCF's nodes.
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

# Stop the cluster; after a failure print the end of its logs first.
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

# partition_keys NAME KEYS: set these keys in the partition's block of tessera.conf, and append standard
# input to the file.
with_partition_keys() { sed "s/^\(partition $2 { Platform = [a-z0-9-]*\) }/\1 $3 }/" "$1" && cat; }
partition_keys() {
	local conf=$TESSERA_LAB/etc/tessera.conf
	rewrite "$conf" with_partition_keys "$conf.plain" "$@"
}

# scripts: write the guides' scripts into the homes of both users. Standard input has each script below
# a line ==> NAME.
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

# types USER LINE: run LINE as USER would at a prompt.
types() {
	local at
	at=$(home "$1")
	"$lab" as "tess-$1" env SN_MEET="${meet:-}" SN_PROGRAMS="${programs:-}" BASH_ENV="$at/bin/paths" "PATH=$at/bin:$TESSERA_LAB/bin:$PATH" \
		bash -c "$2" </dev/null
}

# type_all: run the lines USER PROGRAMS TILES LINE of standard input at the same time, until their jobs
# have ended. LINE starts PROGRAMS programs at the same time, or one after the other if it is 1+1. The
# expected tiles of each program are left in $wanted, and the failed jobs in $failures.
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
	await 'the jobs have ended' no_jobs
	failures=$(failed_jobs)
}

# follow: type_all, then check that each program ran on four tiles out of a mask of TILES tiles, and that
# programs which ran at the same time used different tiles.
follow() {
	type_all
	is "$lines" '' "$said"
	is "$lines: tiles of each program" "$(tally <<<"${wanted%$'\n'}")" "$(had | tally)"
	is "$lines: failed jobs" '' "$failures"
	[ "$in_turn" = yes ] || is "$lines: no tile is used twice" '' "$(taken | sort | uniq -d)"
}

# alone: follow for ann's lines PROGRAMS TILES LINE, one after the other.
alone() {
	local line
	while read -r line; do follow <<<"ann $line"; done
}

# failed_jobs: the jobs that failed since the last call.
failed_jobs() {
	run scontrol -o show jobs | sed -n 's/^JobId=\([0-9]*\) .* JobState=\([A-Z]*\) .*/\1 \2/p' | sort -n >"$meet.jobs"
	awk -v last="$(cat "$meet.last" 2>/dev/null || echo 0)" '$1 > last && $2 != "COMPLETED"' "$meet.jobs"
	tail -n 1 "$meet.jobs" | cut -d' ' -f1 >"$meet.last"
}

# tally: count equal lines.
tally() { grep . | sort | uniq -c | sed 's/^ *//'; }

# records: the lines that the programs wrote: node, user, job, mask, first tile.
records() { find "$meet" -type f -exec cat {} +; }
taken() { records | awk '{ print $1, $5 }'; }

# had: for each program its user and the number of tiles in its mask, or what is wrong with the mask.
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

# guide_clean: left_clean for a cluster without IPUs.
guide_clean() {
	await 'no tile is allocated' no_rows
	await 'no step is left' no_steps
	await 'no process has a device open' no_device_users
	unlike 'all nodes are available' 'drain|down|fail|error|unk' "$(run sinfo -hN -o '%N %T %E')"
}
