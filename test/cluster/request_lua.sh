#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# etc/job_submit.lua asks for the same and refuses the same as the plugin in C.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"

conf=$TESSERA_LAB/etc/slurm.conf
cp -p "$conf" "$conf.saved"
cp -p "$TESSERA_LAB/etc/tessera.conf" "$TESSERA_LAB/etc/tessera.conf.saved"
trap 'rewrite "$conf" <"$conf.saved"; rm "$conf.saved"; mv "$TESSERA_LAB/etc/tessera.conf.saved" "$TESSERA_LAB/etc/tessera.conf"; rm -rf "$TESSERA_LAB/etc/job_submit.lua" "$TESSERA_LAB/plain"; "$lab" restart ctld' EXIT
sed 's|^JobSubmitPlugins=.*|JobSubmitPlugins=lua|' "$conf.saved" | rewrite "$conf"
# As an admin shall adapt it.
sed "s|^local prefix = .*|local prefix = \"$gres_prefix\"|" "$top/etc/job_submit.lua" >"$TESSERA_LAB/etc/job_submit.lua"
fine "$lab" restart ctld

by_lua() {
	local wanted=$1
	shift
	is "Lua for $*" "$wanted" "$(plain_srun -Q "$@" sh -c "$say_request")"
}
each_request good_requests by_lua
by_refusal() {
	local wanted=$1
	shift
	refused plain_srun "$@" true
	like "Lua on $*" "^srun: error: tessera: .*($wanted)" "$said"
	unlike "Lua on $*" 'job_submit.lua:' "$said"
}
each_request bad_requests by_refusal
each_request bad_counts by_refusal
counts_by_lua() {
	local wanted=$1
	shift
	is "Lua for $*" "$wanted" "$(counts_by plain_send "$@")"
	is "Lua after the client for $*" "$wanted" "$(counts_by ann "$@")"
}
each_request good_counts counts_by_lua
is 'jobs in the queue' '' "$(run squeue -h)"

# The client's work is done already, and stays as it is.
is 'with the client' gres:rdu:8,gres:rdu_tile:64 "$(ann srun -Q -n16 --gres=rdu:8 --tiles-per-task=4 sh -c "$say_request")"
fine plain srun true

job=$(plain sbatch --parsable --hold -o /dev/null --gres=rdu:2 --wrap true)
fine run scontrol update job="$job" gres=rdu:3
is 'changed' gres:rdu:3,gres:rdu_tile:24 "$(tres_of "$job")"
for change in gres=rdu:9 gres=rdu:1,rdu_tile:4 partition=sn10 'partition=p64 gres=rdu:1'; do
	# shellcheck disable=SC2086
	refused run scontrol update job="$job" $change
done
is 'after refusals' gres:rdu:3,gres:rdu_tile:24 "$(tres_of "$job")"
fine run scontrol update job="$job" partition=sn10 gres=rdu:3
is 'moved' gres:rdu:3,gres:rdu_tile:12 "$(tres_of "$job")"
fine run scontrol update job="$job" timelimit=5
refused run scontrol update job="$job" licenses=csx:3
fine run scontrol update job="$job" licenses=csx:2
is 'with a licence' 'gres:rdu:3,gres:rdu_tile:12 csx:2' "$(counts_of "$job")"
fine run scancel "$job"

# Slurm lets a job pass when its script makes a mistake; ours must not. One is put in on purpose.
sed -i 's|^local function find_platform(names)|&\n\tif names then error("on purpose") end|' "$TESSERA_LAB/etc/job_submit.lua"
touch -d '+2 seconds' "$TESSERA_LAB/etc/job_submit.lua"
refused plain srun --gres=rdu:1 true
like 'a mistake in the script' 'tessera: job_submit.lua: .*on purpose' "$said"
fine plain srun true

# A site that counts for each task, and half RDUs.
sed -e 's|^local rdu_scope = .*|local rdu_scope = "task"|' -e 's|rdus = 8, tiles_per_rdu = 8 |rdus = 16, tiles_per_rdu = 8, tiles_per_gres = 4 |' \
	"$top/etc/job_submit.lua" >"$TESSERA_LAB/etc/job_submit.lua"
touch -d '+4 seconds' "$TESSERA_LAB/etc/job_submit.lua"
# The nodes must know the same platform.
printf 'RduScope = task\nplatform sn30-8 { TilesPerGres = 4 }\n' >>"$TESSERA_LAB/etc/tessera.conf"
is 'RduScope = task' gres:rdu:4,gres:rdu_tile:16 "$(plain srun -Q -n2 --gres=rdu:2 sh -c "$say_request")"
refused plain srun -n2 --gres=rdu:9 true
like 'RduScope = task' 'rdu:18 asks for more RDUs than a node of sn30-8 has, which is 16' "$said"
