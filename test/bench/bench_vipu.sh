#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The extra cost of a job with IPUs: a launch, 64 partitions at once, and the start of the helper. The controller is the
# emulator, a Python program, whose own time is included in all figures but the last.
set -u
rounds=${ROUNDS:-40}
base=/tmp/tessera-bench.$$
lab=test/lab/lab
export LAB_QUIET=1
trap '$lab -d $base.lab down 2>/dev/null; rm -rf $base' EXIT
mkdir -p "$base" && chmod 755 "$base"
$lab -d "$base.lab" up --nodes ipu:1 || exit 1
dir=$base.lab
helper="$dir/bin/tessera-vipu --conf=$dir/etc/tessera.conf --node=gc-poplar-02"

median() { sort -n "$base/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
now() { date +%s%N; }
# timed NAME CMD...: append the microseconds of CMD to the file NAME.
timed() {
	local name=$1 from to
	shift
	from=$(now)
	"$@" >/dev/null || exit 1
	to=$(now)
	echo $(((to - from) / 1000)) >>"$base/$name"
}

# 1. Launches one after the other. srun polls for the end of the prolog, so that a short prolog can cost nothing; the time
# of the helper is measured separately.
launch() { SLURM_CONF=$dir/etc/slurm.conf srun -p p64 "$@" true; }
idle() { until [ -z "$(SLURM_CONF=$dir/etc/slurm.conf squeue -h)" ]; do sleep 0.01; done; }
for ((i = 0; i < rounds; i++)); do
	idle && timed plain launch
	idle && timed ipus launch --ipus=4
	idle
	# shellcheck disable=SC2086
	timed create $helper create --job=$((900000 + i)) --ipus=4 --wait=10
	# shellcheck disable=SC2086
	timed remove $helper remove --job=$((900000 + i))
	# shellcheck disable=SC2086
	timed version $helper version
	[ ! -t 2 ] || printf '\r%d of %d rounds' $((i + 1)) "$rounds" >&2
done
[ ! -t 2 ] || printf '\r\033[K' >&2
awk -v n="$rounds" -v a="$(median ipus)" -v b="$(median plain)" 'BEGIN {
	more = (a - b) / 1000
	printf "medians of %d: srun --ipus=4 true %.1f ms, srun true %.1f ms: %.1f ms more   goal: 15 ms, %s\n", n, a / 1000, b / 1000,
		more, more < 15 ? "met" : "not met"
}'
awk -v a="$(median create)" -v b="$(median remove)" -v c="$(median version)" 'BEGIN {
	printf "  the helper and the emulator: create %.1f ms, remove (after the job) %.1f ms, one query %.1f ms\n",
		a / 1000, b / 1000, c / 1000
}'

# 2. 64 partitions at once, with a controller that takes a second for each.
$lab -d "$dir" vipu delay 1
# shellcheck disable=SC2086
many() {
	local pids=() n
	for ((n = 1; n <= $1; n++)); do $helper create --job=$((910000 + n)) --ipus=1 --wait=60 & pids+=($!); done
	wait "${pids[@]}"
}
clear_all() { $lab -d "$dir" vipu list | while read -r name _; do $lab -d "$dir" vipu remove --force "$name"; done; }
timed one many 1 && clear_all
timed all many 64 && clear_all
# jobs COUNT ARGUMENT...: run COUNT jobs until all their scripts have started.
jobs() {
	local count=$1
	shift
	mkdir "$base/begun" || return
	SLURM_CONF=$dir/etc/slurm.conf sbatch -Q --array=1-"$count" -p p64 "$@" -o /dev/null \
		--wrap "echo >$base/begun/\$SLURM_ARRAY_TASK_ID; sleep 600" || return
	until [ "$(find "$base/begun" -type f | wc -l)" = "$count" ]; do sleep 0.02; done
}
end_jobs() { SLURM_CONF=$dir/etc/slurm.conf scancel -u root && idle && rm -rf "$base/begun"; }
timed one.job jobs 1 --ipus=1 && end_jobs
timed all.jobs jobs 64 --ipus=1 && end_jobs
timed plain.jobs jobs 64 && end_jobs
$lab -d "$dir" vipu delay 0
awk -v a="$(median all)" -v b="$(median one)" 'BEGIN {
	printf "partitions that take a second: 1 helper %.1f s, 64 at once %.1f s: %.1f times   goal: 3, %s\n", b / 1e6, a / 1e6, a / b,
		a / b < 3 ? "met" : "not met"
}'
awk -v a="$(median all.jobs)" -v b="$(median one.job)" -v c="$(median plain.jobs)" 'BEGIN {
	times = (a - c) / b
	printf "and jobs on one node: 1 begins after %.1f s, 64 after %.1f s, 64 without IPUs after %.1f s: %.1f times   goal: 3, %s\n",
		b / 1e6, a / 1e6, c / 1e6, times, times < 3 ? "met" : "not met"
}'

# 3. The helper from its start to a refused connection: all but the calls of a controller.
sed 's/^\tPort = .*/\tPort = 1/' "$dir/etc/tessera.conf" >"$base/tessera.conf"
closed() { ! "$dir/bin/tessera-vipu" --conf="$base/tessera.conf" --node=gc-poplar-02 version 2>/dev/null; }
for ((i = 0; i < rounds; i++)); do
	timed closed closed
	timed nothing /bin/true
done
awk -v a="$(median closed)" -v b="$(median nothing)" 'BEGIN {
	ms = (a - b) / 1000
	printf "the helper against a closed port %.1f ms, /bin/true %.1f ms: %.1f ms to start   goal: 5 ms, %s\n", a / 1000, b / 1000,
		ms, ms < 5 ? "met" : "not met"
}'
