#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The cost of a job for a cluster: elapsed and CPU time of an array of short jobs, since srun's own waiting hides most of
# it. Labs with an empty plugin with prolog and epilog, with one whose prolog only queries the allocation of the job from
# slurmctld, with ours, and with a prolog and epilog in shell that call scontrol and keep a list.
#
# Times vary by a tenth between runs. The last table is accurate to about half a percent: two labs run their arrays at the
# same time and change roles after each round, so that the machine's speed and a lab's place in memory do not matter.
set -u
base=/tmp/tessera-bench.$$
# shellcheck source=test/bench/labs.bash
. test/bench/labs.bash
trap labs_end EXIT
mkdir -p "$base" && chmod 755 "$base"
rounds=${ROUNDS:-5}
read -ra sizes <<<"${SIZES:-100 300 1000 2000}"

empty_plugin hooks -DHOOKS && empty_plugin asks -DHOOKS -DASK || exit 1
cat >"$base/prolog" <<'PROLOG'
#!/bin/sh
exec 9>>"$SLURM_CONF.lock" && flock 9
scontrol show job -d "$SLURM_JOB_ID" | sed -n "s/.*GRES=.*rdu_tile(CNT:\([0-9]*\)).*/$SLURM_JOB_ID \1/p" >>"$SLURM_CONF.list"
PROLOG
cat >"$base/epilog" <<'EPILOG'
#!/bin/sh
exec 9>>"$SLURM_CONF.lock" && flock 9
sed -i "/^$SLURM_JOB_ID /d" "$SLURM_CONF.list"
EPILOG
chmod 755 "$base/prolog" "$base/epilog"

for name in hooks asks ours shell; do
	lab_start $name --nodes sn30:1,ipu:1 || exit 1
	case $name in
	hooks | asks) lab_plugin $name "required $base/$name.so" ;;
	shell)
		lab_plugin shell
		printf 'Prolog=%s\nEpilog=%s\n' "$base/prolog" "$base/epilog" >>"$base.shell/etc/slurm.conf"
		: >"$base.shell/etc/slurm.conf.list"
		;;
	esac
	lab_restart $name sn30-r1-h1 gc-poplar-02 || exit 1
done

# array NAME COUNT ARGUMENT...: the milliseconds until COUNT jobs have ended, with their prologs and epilogs.
array() {
	local name=$1 count=$2 from to
	shift 2
	from=${EPOCHREALTIME/./}
	$lab -d "$base.$name" as tess-ann sbatch -Q -o /dev/null -a "1-$count" "$@" --wrap true >/dev/null || exit 1
	while [ -n "$(SLURM_CONF=$base.$name/etc/slurm.conf squeue -h | head -n 1)" ]; do sleep 0.1; done
	to=${EPOCHREALTIME/./}
	echo $(((to - from) / 1000))
}

median() { sort -n "$base/ms.$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2 + 1)]) / 2 }'; }

# compare TEXT COUNT THEIRS OURS [LAB...]: run the same jobs in the labs hooks, ours and LAB, and print the ratios of the
# medians to hooks. THEIRS and OURS are the arguments of sbatch there. The order changes in each round, since the work of a
# cluster after its last job slows the next one.
compare() {
	local text=$1 count=$2 theirs=$3 ours=$4 round times=$rounds name
	shift 4
	[ "$count" -lt 1000 ] || times=$(((rounds + 4) / 5))
	rm -f "$base"/ms.*
	for ((round = 1; round <= times; round++)); do
		for name in $(shuf -e hooks ours "$@"); do
			[ ! -t 2 ] || printf '\r\033[K%s, %d jobs, round %d of %d, %s' "$text" "$count" "$round" "$times" "$name" >&2
			# shellcheck disable=SC2046
			array "$name" "$count" $([ "$name" = ours ] && echo "$ours" || echo "$theirs") >>"$base/ms.$name"
		done
	done
	[ ! -t 2 ] || printf '\r\033[K' >&2
	printf '%-20s %5d %8s s' "$text" "$count" "$(seconds hooks)"
	for name in ours "$@"; do printf ' %8s s %5s' "$(seconds "$name")" "$(ratio "$name")"; done
	echo
}
seconds() { awk -v ms="$(median "$1")" 'BEGIN { printf "%.1f", ms / 1000 }'; }
ratio() { awk -v a="$(median "$1")" -v b="$(median hooks)" 'BEGIN { printf "%.2f", a / b }'; }

# play NAME ROLE: let the lab load the plugin of another one.
play() {
	local dir=$base.$1/etc file
	for file in plugstack.conf slurm.conf; do cp "$base/$1.$file" "$dir/$file"; done
	[ "$2" = ours ] || lab_plugin "$1" "required $base/$2.so"
	lab_restart "$1" sn30-r1-h1 && lab_account "$1" 2>/dev/null
}

# paired ROLE ARGUMENT...: the ratio of the CPU time of a job in that role to an empty plugin's, with its standard error.
paired() {
	local role=$1 round labs_now
	shift
	: >"$base/pairs"
	for ((round = 1; round <= 2 * rounds; round++)); do
		[ ! -t 2 ] || printf '\r\033[K%s, CPU time, round %d of %d' "$role" "$round" $((2 * rounds)) >&2
		labs_now=(first second)
		((round % 2)) || labs_now=(second first)
		play "${labs_now[0]}" hooks && play "${labs_now[1]}" "$role" || return 1
		cpu_of "${labs_now[0]}" "$@" >"$base/cpu.hooks" &
		cpu_of "${labs_now[1]}" "$@" >"$base/cpu.role"
		wait $!
		echo "$(<"$base/cpu.hooks") $(<"$base/cpu.role")" >>"$base/pairs"
	done
	[ ! -t 2 ] || printf '\r\033[K' >&2
	awk '{ r = log($2 / $1); sum += r; squares += r * r; a += $1; b += $2 }
		END { printf "%.3f +- %.3f (%.1f and %.1f ms a job)\n", exp(sum / NR), sqrt((squares / NR - (sum / NR) ^ 2) / NR), b / NR / 200, a / NR / 200 }' "$base/pairs"
}
cpu_of() {
	local before
	before=$(lab_cpu "$1")
	array "$1" 200 "${@:2}" >/dev/null
	echo $(($(lab_cpu "$1") - before))
}

echo "medians of $rounds rounds, from 1000 jobs on of $(((rounds + 4) / 5)); goal: ours within 1.05 of empty"
printf '%-20s %5s %10s %16s %16s %16s\n' 'an array of' jobs empty ours 'query alone' shell
for count in "${sizes[@]}"; do
	compare rdu_tile:4 "$count" --gres=rdu_tile:4 --gres=rdu_tile:4 asks shell
	compare 'no accelerator' "$count" '' '' asks shell
done
compare '--ipus=1 (-L ipu:1)' 100 '-p p64 -L ipu:1' '-p p64 --ipus=1' asks

for name in "${labs[@]}"; do $lab -d "$base.$name" down; done
for name in first second; do
	lab_start $name --nodes sn30:1 || exit 1
	for file in plugstack.conf slurm.conf; do cp "$base.$name/etc/$file" "$base/$name.$file"; done
done
lab_account first 2>/dev/null || {
	echo 'CPU time: not measured, this machine has no usable control groups'
	exit 0
}
echo
echo 'CPU time of the daemons and the job, ratio to an empty plugin with prolog and epilog, 200 jobs at a time'
printf '%-36s ' 'rdu_tile:4, ours' && paired ours --gres=rdu_tile:4
printf '%-36s ' 'rdu_tile:4, query alone' && paired asks --gres=rdu_tile:4
printf '%-36s ' 'no accelerator, ours' && paired ours
