#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two jobs on one node never share a tile: 200 short jobs of random size by two users run at once,
# and each task records its tiles with start and end.
. "$(dirname "$0")/lib.sh"

sizes=(rdu_tile:1 rdu_tile:2 rdu_tile:4 rdu_tile:4 rdu:1 rdu:1 rdu:2 rdu:4 rdu:8)
RANDOM=4711
log=$(mktemp -d)
chmod 777 "$log"
trap 'rm -rf "$log"' EXIT
# shellcheck disable=SC2016
task='from=$(date +%s%N); sleep 0.$((RANDOM % 3)); echo $SLURMD_NODENAME $from $(date +%s%N) $SF_RNT_TILE_AFFINITY >'"$log"'/$SLURM_JOB_ID'

for i in {1..200}; do
	who=$((i % 2)) size=${sizes[RANDOM % ${#sizes[@]}]}
	"$([ $who = 0 ] && echo ann || echo bob)" sbatch -Q -o /dev/null --gres="$size" --wrap "exec bash -c '$task'" &
	[ $((i % 8)) != 0 ] || wait
done
wait
ended() { [ "$(find "$log" -type f -size +0 | wc -l)" = 200 ]; }
end=$((SECONDS + 240))
until ended; do
	[ "$SECONDS" -lt "$end" ] || fail "after 240 s $(find "$log" -type f -size +0 | wc -l) of 200 jobs have run"
	sleep 0.2
done

# Every pair on one node that overlapped in time must have had different tiles.
checked=0
mapfile -t record < <(cat "$log"/* | sort)
for ((i = 0; i < 200; i++)); do
	read -r node _ to mask <<<"${record[i]}"
	[[ $mask =~ ^0x[0-9a-f]{16}$ ]] || fail "a job had the mask '$mask'"
	for ((j = i + 1; j < 200; j++)); do
		read -r node2 from2 _ mask2 <<<"${record[j]}"
		# Sorted by node and start: jobs that start after the end of this one cannot overlap
		# with it.
		[ "$node" = "$node2" ] && [ "$from2" -lt "$to" ] || break
		checked=$((checked + 1))
		[ $((mask & mask2)) = 0 ] || fail "two jobs on $node had tiles $mask and $mask2 at the same time"
	done
done
[ "$checked" -gt 100 ] || fail "only $checked pairs of jobs ran at the same time: this proves little"
