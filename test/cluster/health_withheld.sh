#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Withheld and unknown tiles never lower slurmctld's counts to zero, at which Slurm would refuse
# jobs that could wait. The counts stay at one RDU or tile, and do not go back to all, at which jobs
# would come that other nodes have room for.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/health.bash"

other=sn30-r1-h2
left='LeftoverProcesses = quarantine'

update() { health --update --cached 2>&1; }
counts() { run sinfo -hN -n "$node" -o '%T %G' | sed 's/,rdu_mem.*//'; }
shows() { [ "$(counts)" = "$1" ]; }
counted() { await "the node is $1" shows "$1"; }
# leaves: a job that leaves a process behind, so that its tiles are withheld. kill_leftovers ends
# the process.
leaves() {
	local job
	job=$(bob sbatch --parsable -w "$node" -o /dev/null "$@" --wrap 'use-tiles --leave')
	await "the tiles of job $job are withheld" is_withheld "$job"
	await "job $job has left the queue" is_gone "$job"
}
is_withheld() { rows "$node" | grep -q "^job $1 .* withheld "; }
is_gone() { [ -z "$(run squeue -hj "$1")" ]; }
kill_leftovers() {
	local pid
	for pid in $(device_users "$node"); do kill -KILL "$pid" 2>/dev/null; done
	await 'the leftover processes have ended' no_device_users
}
put_back() {
	kill_leftovers
	reset_health
	update >/dev/null
	counted 'idle rdu:8,rdu_tile:64'
}
trap put_back EXIT

# The epilog does not wait for leftover processes.
keys "$left"
# One tile of each RDU is withheld: no RDU is whole, but one is counted. Tiles are counted as they
# are.
for rdu in {0..7}; do leaves --gres=rdu_tile:1 --tile-affinity="$rdu.0"; done
is 'one RDU stays counted' "$node: rdu 8 -> 1, rdu_tile 64 -> 56 (0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0 withheld)" "$(update)"
counted 'idle rdu:1,rdu_tile:56'
is 'a second update changes nothing' '' "$(update)"
is 'a job of two RDUs runs on another node' $other "$(ann srun --gres=rdu:2 printenv SLURMD_NODENAME)"
is 'a job of one tile runs here' 0x0000000000000002 "$(ann srun -w $node --gres=rdu_tile:1 printenv SF_RNT_TILE_AFFINITY)"
await 'the tile is released' eval '[ "$(rows $node | wc -l)" = 8 ]'
keys "$left" 'PlaceWait = 0' 'MaxRequeue = 0'
refused ann srun -w $node --gres=rdu:1 true
like 'the message counts the withheld tiles' '1 whole RDU needed, none free \(56 of 64 tiles free but fragmented, 8 withheld\)' "$said"
keys "$left"
kill_leftovers
like 'the counts are raised after the processes ended' "$node: rdu 1 -> 8, rdu_tile 56 -> 64\$" "$(update)"
counted 'idle rdu:8,rdu_tile:64'

# All tiles are withheld: a job of one RDU is not refused, but waits.
leaves --gres=rdu:8
fine mark 3.5 bad
is 'one RDU stays counted when all are withheld' "$node: rdu 8 -> 1, rdu_tile 64 -> 8 (3.5 bad, rdu0-2,3.0-4,3.6-7,rdu4-7 withheld)" "$(update)"
counted 'idle rdu:1,rdu_tile:8'
job=$(ann sbatch --parsable -w $node -o kept.out --gres=rdu:1 --wrap 'printenv SF_RNT_TILE_AFFINITY')
reaches "$job" RUNNING
kill_leftovers
await 'the job has run' is_gone "$job"
is 'the job has the RDU beside the bad one' 0x0000000000ff0000 "$(cat "$(home ann)/kept.out")"
await 'all tiles are released' no_rows
is 'only the bad tile is not counted' "$node: rdu 1 -> 7, rdu_tile 8 -> 63 (3.5 bad)" "$(update)"
counted 'idle rdu:7,rdu_tile:63'
fine mark 3.5 good

# The same without any result of a tool, while unknown tiles are not used.
keys 'UnknownTiles = avoid'
is 'one RDU stays counted when all are unknown' "$node: rdu 7 -> 1, rdu_tile 63 -> 8 (rdu0-7 unknown)" "$(update)"
counted 'idle rdu:1,rdu_tile:8'
fine health >/dev/null
is 'the counts are raised when all tiles are known' "$node: rdu 1 -> 8, rdu_tile 8 -> 64" "$(update)"
