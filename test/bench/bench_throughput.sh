#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a job costs a cluster: how long an array of short jobs takes. srun's own waiting hides most of that. Labs side by
# side: an empty plugin with prolog and epilog; one whose prolog only asks slurmctld what the job was granted; ours; and a
# prolog and an epilog in shell that ask scontrol and keep a list.
set -u
base=/tmp/tessera-bench.$$
# shellcheck source=test/bench/labs.bash
. test/bench/labs.bash
trap labs_end EXIT
mkdir -p "$base" && chmod 755 "$base"
rounds=${ROUNDS:-3}
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

# array NAME COUNT ARGUMENT...: milliseconds until COUNT jobs have come and gone, with their prologs and epilogs.
array() {
	local name=$1 count=$2 from to
	shift 2
	from=${EPOCHREALTIME/./}
	$lab -d "$base.$name" as tess-ann sbatch -Q -o /dev/null -a "1-$count" "$@" --wrap true >/dev/null || exit 1
	while [ -n "$(SLURM_CONF=$base.$name/etc/slurm.conf squeue -h | head -n 1)" ]; do sleep 0.1; done
	to=${EPOCHREALTIME/./}
	echo $(((to - from) / 1000))
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# compare TEXT COUNT THEIRS OURS [LAB...]: the same jobs in the labs hooks, ours and those named, interleaved, and the ratios
# of medians. THEIRS and OURS are sbatch's arguments there.
compare() {
	local text=$1 count=$2 theirs=$3 ours=$4 round turn times=$rounds name names
	shift 4
	names=(hooks ours "$@")
	[ "$count" -lt 1000 ] || times=1
	rm -f "$base"/ms.*
	for ((round = 0; round < times; round++)); do
		# Each is first once: what a cluster does after its last job slows the next one.
		for ((turn = 0; turn < ${#names[@]}; turn++)); do
			name=${names[(round + turn) % ${#names[@]}]}
			[ ! -t 2 ] || printf '\r\033[K%s, %d jobs, round %d of %d, %s' "$text" "$count" $((round + 1)) "$times" "$name" >&2
			# shellcheck disable=SC2046
			array "$name" "$count" $([ "$name" = ours ] && echo "$ours" || echo "$theirs") >>"$base/ms.$name"
		done
	done
	[ ! -t 2 ] || printf '\r\033[K' >&2
	printf '%-20s %5d %8s s' "$text" "$count" "$(seconds hooks)"
	for name in ours "$@"; do printf ' %8s s %5s' "$(seconds "$name")" "$(ratio "$name")"; done
	echo
}
seconds() { awk -v ms="$(median <"$base/ms.$1")" 'BEGIN { printf "%.1f", ms / 1000 }'; }
ratio() { awk -v a="$(median <"$base/ms.$1")" -v b="$(median <"$base/ms.hooks")" 'BEGIN { printf "%.2f", a / b }'; }

echo "medians of $rounds rounds, of one from 1000 jobs on; goal: ours within 1.05 of empty"
printf '%-20s %5s %10s %16s %16s %16s\n' 'an array of' jobs empty ours 'question alone' shell
for count in "${sizes[@]}"; do
	compare rdu_tile:4 "$count" --gres=rdu_tile:4 --gres=rdu_tile:4 asks shell
	compare 'no accelerator' "$count" '' '' asks shell
done
compare '--ipus=1 (-L ipu:1)' 100 '-p p64 -L ipu:1' '-p p64 --ipus=1' asks
