#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a job costs a cluster: how long an array of short jobs takes. srun's own waiting hides most of that. Labs side by
# side: an empty plugin with prolog and epilog, ours, and a prolog and an epilog in shell that ask scontrol and keep a list.
set -u
base=/tmp/tessera-bench.$$
# shellcheck source=test/bench/labs.bash
. test/bench/labs.bash
trap labs_end EXIT
mkdir -p "$base" && chmod 755 "$base"
rounds=${ROUNDS:-3}
read -ra sizes <<<"${SIZES:-100 300 1000 2000}"

empty_plugin hooks -DHOOKS || exit 1
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

for name in hooks ours shell; do
	lab_start $name --nodes sn30:1,ipu:1 || exit 1
	case $name in
	hooks) lab_plugin hooks "required $base/hooks.so" ;;
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

# compare TEXT COUNT OTHERS -- OURS ARGUMENTS -- ...: the same jobs in all labs, interleaved, and the ratios of medians.
compare() {
	local text=$1 count=$2 theirs=$3 ours=$4 shell=$5 round times=$rounds
	[ "$count" -lt 1000 ] || times=1
	rm -f "$base"/ms.*
	for ((round = 0; round < times; round++)); do
		[ ! -t 2 ] || printf '\r\033[K%s, %d jobs, round %d of %d' "$text" "$count" $((round + 1)) "$times" >&2
		# shellcheck disable=SC2086
		array hooks "$count" $theirs >>"$base/ms.hooks"
		# shellcheck disable=SC2086
		array ours "$count" $ours >>"$base/ms.ours"
		# shellcheck disable=SC2086
		[ -z "$shell" ] || array shell "$count" $theirs >>"$base/ms.shell"
	done
	[ ! -t 2 ] || printf '\r\033[K' >&2
	awk -v text="$text" -v n="$count" -v a="$(median <"$base/ms.hooks")" -v b="$(median <"$base/ms.ours")" \
		-v c="$([ -z "$shell" ] || median <"$base/ms.shell")" 'BEGIN {
		printf "%-26s %5d %8.1f s %8.1f s %6.2f", text, n, a / 1000, b / 1000, b / a
		if (c != "") printf " %8.1f s %6.2f", c / 1000, c / a
		print ""
	}'
}

printf '%-26s %5s %10s %10s %6s %10s %6s\n' "medians of $rounds (1 from 1000 on)" jobs empty ours ratio shell ratio
for count in "${sizes[@]}"; do
	compare '--gres=rdu_tile:4' "$count" --gres=rdu_tile:4 --gres=rdu_tile:4 shell
	compare 'no accelerator' "$count" '' '' shell
done
compare '--ipus=1, -L ipu:1' 100 '-p p64 -L ipu:1' '-p p64 --ipus=1' ''
