#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A site's own job_submit.lua runs before job_submit_tessera.so, and the plugin checks what the script made of the job.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"

conf=$TESSERA_LAB/etc/slurm.conf
cp -p "$conf" "$conf.saved"
trap 'rewrite "$conf" cat "$conf.saved"; rm "$conf.saved"; rm -rf "$TESSERA_LAB/etc/job_submit.lua" "$TESSERA_LAB/plain"; "$lab" restart ctld' EXIT
rewrite "$conf" sed 's|^JobSubmitPlugins=.*|JobSubmitPlugins=lua,tessera|' "$conf.saved"
cat >"$TESSERA_LAB/etc/job_submit.lua" <<'LUA'
function slurm_job_submit(job, parts, uid)
	if job.name == "forbidden" then
		slurm.log_user("site policy: no jobs of this name")
		return slurm.ERROR
	elseif job.name == "tutorial" then
		job.partition = "sn10"
	elseif job.name == "greedy" then
		job.tres_per_node = PREFIX .. "rdu:9"
	elseif job.name == "generous" then
		job.tres_per_node = PREFIX .. "rdu:2"
	end
	return slurm.SUCCESS
end

function slurm_job_modify(job, record, parts, uid)
	return slurm.SUCCESS
end
LUA
sed -i "1i PREFIX = \"$gres_prefix\"" "$TESSERA_LAB/etc/job_submit.lua"
fine "$lab" restart ctld
is 'slurmctld loads both plugins' lua,tessera "$(run scontrol show config | sed -n 's/^JobSubmitPlugins *= //p')"

# held AS NAME ARGUMENT...: submit a held job of this name as AS (ann or plain) and print its
# number.
held() { "$1" sbatch --parsable --hold -o /dev/null -J "$2" "${@:3}" --wrap true; }

# The script refuses with its own message. Our refusals still come, with our name.
refused ann srun -J forbidden --gres=rdu:1 true
like 'the script refuses the job' 'site policy: no jobs of this name' "$said"
unlike 'the refusal of the script does not name us' 'tessera:' "$said"
by_refusal() {
	local wanted=$1
	shift
	refused plain_srun "$@" true
	like "the plugin refuses $*" "^srun: error: tessera: .*($wanted)" "$said"
}
each_request bad_counts by_refusal
is 'the plugin completes the request' gres:rdu:2,gres:rdu_tile:16 "$(plain_srun -Q --gres=rdu:2 sh -c "$say_request")"

# What the script writes is completed and checked like a request of the user.
job=$(held plain generous) || fail 'a request that the script wrote was refused'
is 'RDUs requested by the script are completed' gres:rdu:2,gres:rdu_tile:16 "$(tres_of "$job")"
fine run scancel "$job"
refused held plain greedy
like 'too many RDUs requested by the script are refused' 'tessera: .*rdu:9 .* 8' "$said"

# The platform of the partition that the script chooses counts: an SN10 RDU has four tiles.
job=$(held plain tutorial --gres=rdu:2) || fail 'a partition that the script chose was refused'
is 'the job is in the chosen partition' 'sn10 gres:rdu:2,gres:rdu_tile:8' "$(run squeue -hj "$job" -o %P) $(tres_of "$job")"
fine run scancel "$job"
refused held plain tutorial --gres=rdu_tile:33
like 'too many tiles for the chosen partition are refused' 'tessera: .*rdu_tile:33 .* 32' "$said"

# Our client adds the tiles before the script runs: they do not fit a partition of another platform.
refused held ann tutorial --gres=rdu:2
like 'tiles of another platform are refused' 'tessera: .*rdu:2 is 8 tiles on sn10-8, rdu_tile:16 says 16' "$said"

# Changes of a job go through both.
job=$(held plain other --gres=rdu:2)
fine run scontrol update job="$job" gres=rdu:3
is 'the change is applied' gres:rdu:3,gres:rdu_tile:24 "$(tres_of "$job")"
refused run scontrol update job="$job" gres=rdu:9
is 'a refused change is not applied' gres:rdu:3,gres:rdu_tile:24 "$(tres_of "$job")"
fine run scancel "$job"
is 'no job is in the queue' '' "$(run squeue -h)"
