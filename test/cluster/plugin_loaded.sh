#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The plugins are where they must be: in slurmctld, slurmd, slurmstepd and the client; and only once.
. "$(dirname "$0")/lib.sh"

loaded() { awk '/tessera\.so/ { sub(/.*\//, "", $6); print $6 }' "/proc/$1/maps" | sort -u | xargs; }

for node in $(run sinfo -hN -o %N) slurmctld; do
	read -r pid _ <"$TESSERA_LAB/pids/$node"
	[ "$node" = slurmctld ] && wanted=job_submit_tessera.so || wanted=spank_tessera.so
	is "$node" "$wanted" "$(loaded "$pid")"
done

# A task's parent is its slurmstepd; a client's libraries are told by the loader.
# shellcheck disable=SC2016
like slurmstepd spank_tessera.so "$(run srun -n1 sh -c 'cat /proc/$PPID/maps')"
like srun "file=$TESSERA_LAB/lib/spank_tessera.so" "$(run env LD_DEBUG=files srun -n1 true 2>&1)"
