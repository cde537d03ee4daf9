#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The cost of the plugin for a launch: medians of interleaved launches in labs with an empty plugin, with an empty
# prolog and epilog, with ours, and with ours without grants.
set -u
rounds=${ROUNDS:-60}
base=/tmp/tessera-bench.$$
lab=test/lab/lab
export LAB_QUIET=1
trap 'for name in empty hooks ours ungranted; do $lab -d $base.$name down 2>/dev/null; done; rm -rf $base' EXIT
mkdir -p "$base" && chmod 755 "$base"

cc -shared -fPIC -O2 -o "$base/empty.so" test/bench/empty_plugin.c
cc -shared -fPIC -O2 -DHOOKS -o "$base/hooks.so" test/bench/empty_plugin.c

for name in empty hooks ours ungranted; do
	$lab -d "$base.$name" up --nodes sn30:1 || exit 1
	case $name in
	ours) continue ;;
	ungranted)
		echo 'Grants = no' >>"$base.$name/etc/tessera.conf"
		$lab -d "$base.$name" restart sn30-r1-h1 || exit 1
		continue
		;;
	esac
	echo "required $base/$name.so" >"$base.$name/etc/plugstack.conf"
	sed -i '/^JobSubmitPlugins/d' "$base.$name/etc/slurm.conf"
	$lab -d "$base.$name" restart ctld && $lab -d "$base.$name" restart sn30-r1-h1 || exit 1
done

# launch NAME ARGUMENT...: the microseconds of one srun.
launch() {
	local name=$1 from to
	shift
	from=$(date +%s%N)
	SLURM_CONF=$base.$name/etc/slurm.conf srun "$@" true || exit 1
	to=$(date +%s%N)
	echo $(((to - from) / 1000))
}

for ((i = 0; i < rounds; i++)); do
	launch empty >>"$base/empty"
	launch hooks >>"$base/hooks"
	launch ours >>"$base/ours"
	launch hooks --gres=rdu:2,rdu_tile:16 >>"$base/hooks.rdu"
	launch ours --gres=rdu:2 >>"$base/ours.rdu"
	launch ungranted --gres=rdu:2 >>"$base/ungranted.rdu"
	launch ours -n16 --tiles-per-task=4 >>"$base/ours.tasks"
	launch ungranted -n16 --tiles-per-task=4 >>"$base/ungranted.tasks"
	[ ! -t 2 ] || printf '\r%d of %d rounds' $((i + 1)) "$rounds" >&2
done
[ ! -t 2 ] || printf '\r\033[K' >&2

median() { sort -n "$base/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
# compare TEXT OURS THEIRS GOAL: print the ratio of the medians.
compare() {
	awk -v text="$1" -v a="$(median "$2")" -v b="$(median "$3")" -v goal="$4" 'BEGIN {
		printf "%-62s %6.1f ms %6.1f ms %6.1f %%", text, a / 1000, b / 1000, 100 * (a / b - 1)
		if (goal != "") printf "   goal: %s %%, %s", goal, 100 * (a / b - 1) <= goal ? "met" : "not met"
		print ""
	}'
}
printf '%-62s %9s %9s %8s\n' "medians of $rounds launches" ours other more
compare 'srun true, against an empty plugin' ours empty 2
compare 'srun true, against an empty plugin with prolog and epilog' ours hooks ''
compare 'srun --gres=rdu:2 true, against empty prolog and epilog' ours.rdu hooks.rdu 8
compare 'srun --gres=rdu:2 true, against Grants = no' ours.rdu ungranted.rdu ''
compare 'srun -n16 --tiles-per-task=4 true, against Grants = no' ours.tasks ungranted.tasks ''
