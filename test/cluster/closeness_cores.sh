#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# With the Cores= that tessera conf --cores prints, Slurm takes cores of the socket whose RDUs are free, and the job's RDUs
# are near them: also when those of the first socket are taken, which Slurm would not know otherwise.
. "$(dirname "$0")/lib.sh"

other=$TESSERA_LAB.other
trap 'LAB_QUIET=1 "$lab" -d "$other" down 2>/dev/null' EXIT
node=sn30-r1-h1
fine "$lab" -d "$other" up --nodes sn30:1
export TESSERA_LAB=$other
echo 'platform sn30-8 { Numa = "0,1" }' >>"$other/etc/tessera.conf"
printed() {
	run env HWLOC_SYNTHETIC='pack:2 numa:1 core:64 pu:1' tessera conf --platform=sn30-8 --nodes=$node \
		--conf="$other/etc/tessera.conf" --for="$1" --cores="$other/files"
}
like 'cores in slurm.conf' ' Sockets=2 CoresPerSocket=64 ThreadsPerCore=1 ' "$(printed slurm.conf)"
grep '^NodeName=.* Name=rdu_mem' "$other/etc/gres.conf" >"$other/etc/rdu_mem"
fine printed gres.conf >"$other/etc/gres.conf"
cat "$other/etc/rdu_mem" >>"$other/etc/gres.conf"
like 'rdu in gres.conf' "^NodeName=$node Name=rdu File=$other/files/rdu\[4-7\] Cores=64-127$" "$(<"$other/etc/gres.conf")"
# What the first line tells an admin to do.
fine bash -c "$(sed -n 's/^# once on each node: //p' "$other/etc/gres.conf")"
fine "$lab" restart $node
fine "$lab" restart ctld
known() { grep -q '^rdu 4-7 distances 20,10$' "$other/state/$node/locality"; }
await "slurmd's start writes the table" known
like 'Slurm knows of sockets' 'rdu:8\(S:0-1\),rdu_tile:64\(S:0-1\)' "$(run sinfo -h -n $node -o %G)"

# is_near JOB: its cores and its RDUs are of one socket, which is left in $socket.
is_near() {
	local core tile
	core=$(run scontrol -d show job "$1" | sed -n "s/.* Nodes=$node CPU_IDs=\([0-9]*\).*/\1/p")
	tile=$(rows $node | sed -n "s/^job $1 .* tiles \([0-9]*\).*/\1/p")
	socket=$((core / 64))
	is "core $core and tile $tile of job $1" "$socket" "$((tile / 32))"
}
has_row() { rows $node | grep -q "^job $1 "; }
sockets=()
for _ in 1 2 3 4; do
	job=$(ann sbatch --parsable -o /dev/null --gres=rdu:1 --wrap 'sleep 600')
	await 'its row is there' has_row "$job"
	is_near "$job"
	sockets[socket]=$((${sockets[socket]:-0} + 1))
done
large=$(ann sbatch --parsable -o /dev/null --gres=rdu_tile:16 --wrap 'sleep 600')
await 'its row is there' has_row "$large"
is_near "$large"
is 'both sockets were used' 2 "${#sockets[@]}"
fine run scancel --user=tess-ann
is 'counts are what they were' 8,64 "$(run sinfo -h -n $node -O Gres:100 | sed -n 's/^rdu:\([0-9]*\).*rdu_tile:\([0-9]*\).*/\1,\2/p')"
