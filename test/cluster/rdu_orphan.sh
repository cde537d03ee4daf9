#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmd is killed while a prolog waits for tiles, and its job ends meanwhile: the prolog writes no
# row for it, neither while the tiles are allocated nor when they are released, and ends.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/prologs.bash
. "$(dirname "$0")/prologs.bash"

node=sn30-r1-h2
conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
sed -i 's/^PlaceWait = .*/PlaceWait = 3600/' "$conf"

holds() { rows $node | grep -q "^job $1 .* state held "; }

owner=$(bob sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --tile-affinity=rdu0 --wrap 'sleep 600')
await 'the job has its tiles' holds "$owner"
for when in waits resumes; do
	job=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --tile-affinity=rdu0 --wrap true)
	await 'the prolog waits' one_prolog
	pid=$(prologs)
	read -r slurmd _ <"$TESSERA_LAB/pids/$node"
	kill -KILL "$slurmd"
	await 'slurmd has ended' has_ended "$slurmd"
	# The prolog is stopped meanwhile, or runs on. (Stopped earlier, it would end with slurmd,
	# from SIGHUP.)
	[ $when = waits ] || fine kill -STOP "$pid"
	fine run scancel "$job"
	fine "$lab" restart $node
	finished() { [ -z "$(run squeue -hj "$job" 2>/dev/null)" ]; }
	await 'the job has ended' finished
	if [ $when = resumes ]; then
		fine run scancel "$owner"
		await 'the tiles are free' no_rows
		fine kill -CONT "$pid"
	fi
	await 'the prolog has ended' no_prologs
	unlike "$when: the ended job has no row" "^job $job " "$(rows $node)"
done
is 'no failure record is left' '' "$(cd "$TESSERA_LAB/state/$node" && ls -d failed.* 2>/dev/null)"
