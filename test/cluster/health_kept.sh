#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tiles that are kept back, or of which nothing is known, never bring slurmctld's counts to nothing, for which jobs would be refused
# that can wait; but to one RDU or tile, not back to all, for which jobs would come that other nodes have room for.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/health.bash"

other=sn30-r1-h2
left='StaleHolders = quarantine'

update() { health --update --cached 2>&1; }
counts() { run sinfo -hN -n "$node" -o '%T %G' | sed 's/,rdu_mem.*//'; }
shows() { [ "$(counts)" = "$1" ]; }
counted() { await "the node is $1" shows "$1"; }
# What was left behind by jobs, whose tiles are kept back; and its end.
leaves() {
	local job
	job=$(bob sbatch --parsable -w "$node" -o /dev/null "$@" --wrap 'use-tiles --leave')
	await "the tiles of job $job are kept back" is_kept "$job"
	await "job $job is gone" is_gone "$job"
}
is_kept() { rows "$node" | grep -q "^job $1 .* stale "; }
is_gone() { [ -z "$(run squeue -hj "$1")" ]; }
end_left() {
	local pid
	for pid in $(device_holders "$node"); do kill -KILL "$pid" 2>/dev/null; done
	await 'what was left has ended' no_device_holders
}
put_back() {
	end_left
	healthy
	update >/dev/null
	counted 'idle rdu:8,rdu_tile:64'
}
trap put_back EXIT

# The node does not wait for what is left behind.
keys "$left"
# A tile of each RDU: none is whole, but one is counted. The tiles are counted as they are.
for rdu in {0..7}; do leaves --gres=rdu_tile:1 --tile-affinity="$rdu.0"; done
is 'a tile of each' "$node: rdu 8 -> 1, rdu_tile 64 -> 56 (0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0 kept back)" "$(update)"
counted 'idle rdu:1,rdu_tile:56'
is 'told once' '' "$(update)"
is 'who needs two goes elsewhere' $other "$(ann srun --gres=rdu:2 printenv SLURMD_NODENAME)"
is 'tiles are here' 0x0000000000000002 "$(ann srun -w $node --gres=rdu_tile:1 printenv SF_RNT_TILE_AFFINITY)"
await 'they are given back' eval '[ "$(rows $node | wc -l)" = 8 ]'
keys "$left" 'PlaceWait = 0' 'MaxRequeue = 0'
refused ann srun -w $node --gres=rdu:1 true
like 'why' '1 whole RDU is needed, none is free \(56 of 64 tiles are free, in parts, 8 are kept back\)' "$said"
keys "$left"
end_left
like 'back' "$node: rdu 1 -> 8, rdu_tile 56 -> 64\$" "$(update)"
counted 'idle rdu:8,rdu_tile:64'

# All of them: a job for an RDU is not refused, but waits for one.
leaves --gres=rdu:8
fine mark 3.5 bad
is 'all' "$node: rdu 8 -> 1, rdu_tile 64 -> 8 (3.5 bad, rdu0-2,3.0-4,3.6-7,rdu4-7 kept back)" "$(update)"
counted 'idle rdu:1,rdu_tile:8'
job=$(ann sbatch --parsable -w $node -o kept.out --gres=rdu:1 --wrap 'printenv SF_RNT_TILE_AFFINITY')
reaches "$job" RUNNING
end_left
await 'the job has run' is_gone "$job"
is 'with the RDU beside the broken one' 0x0000000000ff0000 "$(cat "$(home ann)/kept.out")"
await 'all is given back' no_rows
is 'only what is bad' "$node: rdu 1 -> 7, rdu_tile 8 -> 63 (3.5 bad)" "$(update)"
counted 'idle rdu:7,rdu_tile:63'
fine mark 3.5 good

# The same where no tool answers, and what is not known is not handed out.
keys 'UnknownTiles = avoid'
is 'unknown' "$node: rdu 7 -> 1, rdu_tile 63 -> 8 (rdu0-7 unknown)" "$(update)"
counted 'idle rdu:1,rdu_tile:8'
fine health >/dev/null
is 'known' "$node: rdu 1 -> 8, rdu_tile 8 -> 64" "$(update)"
