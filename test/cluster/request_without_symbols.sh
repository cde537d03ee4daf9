#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where Slurm's programs do not export their options, the controller adds the tiles. Without the
# controller's plugin the user gets a message, and no job runs without its tiles.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"

conf=$TESSERA_LAB/etc/slurm.conf
work=$TESSERA_LAB/without
mkdir "$work"
trap 'rm -rf "$work"' EXIT
fine cc -shared -fPIC -o "$work/no_symbols.so" "$top/test/cluster/no_symbols.c" -ldl
without() { ann env LD_PRELOAD="$work/no_symbols.so" "$@"; }

by_controller() {
	local wanted=$1
	shift
	is "the request of srun $*" "$wanted" "$(without srun -Q --export=ALL,LD_PRELOAD= "$@" sh -c "$say_request")"
}
each_request good_requests by_controller

by_refusal() {
	local wanted=$1
	shift
	refused without srun "$@" true
	like "srun $* is refused" "^srun: error: tessera: .*($wanted)" "$said"
}
each_request bad_requests by_refusal
each_request bad_counts by_refusal
counts_without() {
	local wanted=$1
	shift
	is "the request of sbatch $*" "$wanted" "$(counts_by without "$@")"
}
each_request good_counts counts_without
job=$(without sbatch --parsable --hold -o /dev/null -n16 --tiles-per-task=4 --wrap true)
is 'sbatch with options alone' gres:rdu_tile:64 "$(tres_of "$job")"
fine run scancel "$job"
fine without salloc -Q -n2 --gres=rdu:1 --tiles-per-task=4 srun --export=ALL,LD_PRELOAD= -n2 --tiles-per-task=2 true

# slurmctld does not load our plugin.
cp -p "$conf" "$work/slurm.conf"
trap 'rewrite "$conf" cat "$work/slurm.conf"; "$lab" restart ctld; rm -rf "$work"' EXIT
for plugins in '' JobSubmitPlugins=all_partitions; do
	rewrite "$conf" sed "s|^JobSubmitPlugins=.*|$plugins|" "$work/slurm.conf"
	fine "$lab" restart ctld
	for option in --tiles-per-task=4 --tile-affinity=rdu0 --tile-bind=block --ipus=4 --csx=1; do
		refused without srun $option true
		like "$option is refused" "^srun: error: tessera: cannot set --gres .*JobSubmitPlugins=tessera.* without ${option%%=*}," "$said"
		refused without sbatch -o /dev/null $option --wrap true
	done
	is 'no job is in the queue' '' "$(run squeue -h)"
	fine without srun --export=ALL,LD_PRELOAD= true
	# With the symbols the client does not need the controller.
	is 'the request with the symbols' gres:rdu_tile:16 "$(ann srun -Q -n4 --tiles-per-task=4 sh -c "$say_request")"
done
