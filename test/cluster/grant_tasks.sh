#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Batch scripts, steps and tasks with tiles or a partition carry a grant that root created and that
# names what each of them has. A job that requested nothing has no grant, and its slurmstepd does
# not load munge.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/grants.bash"
uid=$(id -u tess-ann)

# A batch script, a step with a part of the tiles, tasks of a step, and a step without tiles.
cat >"$(home ann)/grants.sh" <<'SCRIPT'
#!/bin/bash
echo "$TESSERA_GRANT" >grant.batch
srun -n1 --gres=rdu_tile:4 printenv TESSERA_GRANT >grant.step
srun -n4 --tiles-per-task=2 sh -c 'echo "$TESSERA_GRANT" >grant.task.$SLURM_PROCID'
srun -n2 sh -c 'echo "$TESSERA_GRANT" >grant.same.$SLURM_PROCID'
srun -n1 --gres=none sh -c 'echo "<$TESSERA_GRANT>"' >grant.none
srun -n1 --export=NONE --gres=rdu_tile:4 /usr/bin/printenv TESSERA_GRANT >grant.bare
SF_RNT_TILE_AFFINITY=0x4 srun -n1 printenv TESSERA_GRANT >grant.narrow
tessera verify >verify.batch
srun -n1 --gres=rdu_tile:4 tessera verify >verify.step
SCRIPT
before=$(date +%s)
job=$(ann sbatch -W --parsable -n4 -w $one -o grants.out --gres=rdu:1 grants.sh)
cd "$(home ann)" || exit 1
# (srun prints a message when it waits for the step before.)
unlike 'the job prints no message of Tessera' 'tessera|munge' "$(cat grants.out)"
batch=$(cat grant.batch)
is 'root created the grant' root "$(grant_creator "$batch")"
like 'the grant names all tiles of the job' "^tessera-grant 1 cluster lab node $one job $job restarts 0 step 4294967291 uid $uid time [0-9]+ platform sn30-8 tiles 0-7 partition -\$" \
	"$(grant_text "$batch")"
made=$(field time "$batch")
[ "$made" -ge "$before" ] && [ "$made" -le "$(date +%s)" ] || fail "the grant was created at $made, and now is $(date +%s)"
is 'the grant of a step names its part' "$job 0 0-3" "$(field job "$(cat grant.step)") $(field step "$(cat grant.step)") $(field tiles "$(cat grant.step)")"
for task in 0 1 2 3; do
	is "task $task has a grant of its own tiles" "1 $((task * 2))-$((task * 2 + 1))" \
		"$(field step "$(cat grant.task.$task)") $(field tiles "$(cat grant.task.$task)")"
done
for task in 0 1; do
	is "task $task has a grant of the shared tiles" '2 0-7' "$(field step "$(cat grant.same.$task)") $(field tiles "$(cat grant.same.$task)")"
	is "root created the grant of task $task" root "$(grant_creator "$(cat grant.same.$task)")"
done
is 'a step without tiles has no grant' '<>' "$(cat grant.none)"
is 'a step without the environment has a grant' '0-3' "$(field tiles "$(cat grant.bare)")"
is 'the grant is as narrow as the wish of the user' 2 "$(field tiles "$(cat grant.narrow)")"
is 'the grant is verified in the script' "granted to job $job.batch of tess-ann on $one: rdu0" "$(cat verify.batch)"
like 'the grant is verified in a step' "^granted to job $job\.[0-9]+ of tess-ann on $one: 0.0-3\$" "$(cat verify.step)"
rm -f grants.sh grants.out grant.* verify.*
cd "$top" || exit 1

# Each node has a grant of its own, whatever the step inherited.
grants=$(ann srun -N2 --gres=rdu:1 sh -c 'echo $SLURMD_NODENAME $TESSERA_GRANT')
is 'two nodes have grants' 2 "$(wc -l <<<"$grants")"
while read -r node grant; do is "the grant of $node names it" "$node" "$(field node "$grant")"; done <<<"$grants"

# A V-IPU partition.
read -r partition grant < <(ann srun -p p64 -n1 --ipus=4 sh -c 'echo $IPUOF_VIPU_API_PARTITION_ID $TESSERA_GRANT')
is 'the grant names the partition' "- - $partition" "$(field platform "$grant") $(field tiles "$grant") $(field partition "$grant")"
like 'the grant of a partition is verified' "^granted to job [0-9]+.0 of tess-ann on gc-poplar-[0-9]+: partition slurm_[0-9]+\$" \
	"$(ann srun -p p64 -n1 --ipus=4 tessera verify)"
refused ann srun -Q -p p64 -n1 --ipus=4 env IPUOF_CONFIG_PATH=/home/other.conf tessera verify
like 'a configuration file beside the partition is refused' '^tessera: IPUOF_CONFIG_PATH=/home/other.conf can direct the runtime .* granted was slurm_' "$said"
like 'an inherited configuration file is removed' '^granted to job' "$(ann env IPUOF_CONFIG_PATH=/a srun -p p64 -n1 --ipus=4 tessera verify)"
like 'a configuration file does not matter for tiles' '^granted to job' "$(ann srun -n1 -w $one --gres=rdu:1 env IPUOF_CONFIG_PATH=/a tessera verify)"
# The pool csx has no devices to grant.
is 'a job of a counted pool has no grant' '<>' "$(ann srun -n1 --csx=1 sh -c 'echo "<$TESSERA_GRANT>"')"

# A job that requests nothing has no grant, not even that of the job which submitted it, and its
# slurmstepd does not load munge.
nested() { ann salloc -Q -n2 --gres=rdu:1 srun -n1 sh -c "$1"; }
is 'a job in a job has no grant' '<>' "$(nested 'env -u SLURM_JOB_ID srun -n1 sh -c "echo \"<\$TESSERA_GRANT>\""')"
loads() { grep -c tessera_grant.so "/proc/$(awk '/^PPid:/ { print $2 }' "/proc/$1/status")/maps"; }
for gres in none rdu:1; do
	job=$(ann sbatch --parsable -o /dev/null -w $one --gres=$gres --wrap 'echo $$ >pid.new; mv pid.new pid; exec sleep 600')
	await 'the job runs' test -e "$(home ann)/pid"
	count=$(loads "$(cat "$(home ann)/pid")")
	case $gres in
	none) is 'the module is not loaded' 0 "$count" ;;
	*) [ "$count" -gt 0 ] || fail 'the module was not loaded' ;;
	esac
	fine run scancel "$job"
	await 'the job has left the queue' no_jobs
	rm -f "$(home ann)/pid"
done
