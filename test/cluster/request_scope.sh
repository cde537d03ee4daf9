#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# RduScope = auto and TilesPerTask of a partition: what the recipes of ALCF's user guides request
# from slurmctld, with and without the plugin. A job that requests less than its tasks need gets one
# message, and not on standard output.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"; rm -rf "$TESSERA_LAB/plain"' EXIT
partition=$(run sinfo -h -o %R -n sn30-r1-h1 | head -n 1)
sed -i "/^partition \"\\?$partition\"\\? /s/}/ RduScope = auto TilesPerTask = 4 }/" "$conf"
grep -q "$partition.*TilesPerTask" "$conf" || fail "tessera.conf has no partition $partition"

recipes() {
	cat <<-'LIST'
		--gres=rdu:1 --tasks-per-node 8 --nodes 1                                   => gres:rdu:8,gres:rdu_tile:64
		--ntasks 32 --gres=rdu:1 --ntasks-per-node 16 --nodes 2 --cpus-per-task=8   => gres:rdu:8,gres:rdu_tile:64
		--ntasks 4 --gres=rdu:1 --ntasks-per-node 4                                 => gres:rdu:4,gres:rdu_tile:32
		--ntasks 1 --gres=rdu:8 --ntasks-per-node 16                                => gres:rdu:8,gres:rdu_tile:64
		--ntasks 16 --gres=rdu:8 --ntasks-per-node 16                               => gres:rdu:8,gres:rdu_tile:64
		--gres=rdu:2                                                                => gres:rdu:2,gres:rdu_tile:16
		--ntasks 1 --ntasks-per-node 16 --nodes 1 --tiles-per-task=4                => gres:rdu_tile:4
		-p sn10 --gres=rdu:1 --tasks-per-node 8 --nodes 1                           => gres:rdu:1,gres:rdu_tile:4
	LIST
}

asks() {
	local wanted=$1 job
	shift
	for client in ann plain; do
		[ "$client" = ann ] || [[ "$*" != *--tiles-per-task* ]] || continue
		job=$($client sbatch --parsable --hold -o /dev/null "$@" --wrap true 2>"$TESSERA_LAB/said") || fail "$client failed: $*"
		is "the request of $client: $*" "${wanted//gres:/$gres_prefix}" "$(tres_of "$job")"
		is "$client gets no message: $*" '' "$(<"$TESSERA_LAB/said")"
		run scancel "$job"
	done
}
each_request recipes asks

# Too few tiles for so many tasks.
for client in ann plain; do
	job=$($client sbatch --parsable --hold -o /dev/null -N1 -n16 --gres=rdu_tile:8 --wrap true 2>"$TESSERA_LAB/said")
	is "$client: the request is not changed" "${gres_prefix}rdu_tile:8" "$(tres_of "$job")"
	like "$client gets the message" '^sbatch: tessera: 16 tasks on a node need 4 tiles each, 64 in all, but 8 .*--tiles-per-task=4$' \
		"$(<"$TESSERA_LAB/said")"
	is '$client gets it once' 1 "$(grep -c tessera: "$TESSERA_LAB/said")"
	run scancel "$job"
done
is 'srun prints only the output of the task' hello "$(ann srun -N1 -n1 --gres=rdu_tile:2 echo hello 2>"$TESSERA_LAB/said")"
like 'srun gets the message' '^srun: tessera: 1 task on a node needs 4 tiles' "$(grep -v queued "$TESSERA_LAB/said")"
rm -f "$TESSERA_LAB/said"
