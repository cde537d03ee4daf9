#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The plugins are loaded once each in slurmctld, slurmd, slurmstepd and the client.
. "$(dirname "$0")/lib.sh"

loaded() { awk '/tessera\.so/ { sub(/.*\//, "", $6); print $6 }' "/proc/$1/maps" | sort -u | xargs; }

for node in $(run sinfo -hN -o %N) slurmctld; do
	read -r pid _ <"$TESSERA_LAB/pids/$node"
	[ "$node" = slurmctld ] && wanted=job_submit_tessera.so || wanted=spank_tessera.so
	is "$node has loaded the plugins once" "$wanted" "$(loaded "$pid")"
done

# The parent of a task is its slurmstepd. The loader lists the libraries of a client.
# shellcheck disable=SC2016
like slurmstepd spank_tessera.so "$(run srun -n1 sh -c 'cat /proc/$PPID/maps')"
like srun "file=$TESSERA_LAB/lib/spank_tessera.so" "$(run env LD_DEBUG=files srun -n1 true 2>&1)"

# From 25.05 on the plugin says what an error of its slurm_spank_init does; older releases look for no such name.
symbols=$(nm -D --defined-only "$TESSERA_LAB/lib/spank_tessera.so")
if slurm_since 25.05; then
	like 'an error fails the job, not the node' ' D slurm_spank_init_failure_mode$' "$symbols"
else
	unlike 'no name that this release does not know' slurm_spank_init_failure_mode "$symbols"
fi
