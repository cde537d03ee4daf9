#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two nodes of a job never write its AdminComment at the same time, although all deliver at once: while
# one write is held up in the database, the other nodes write nothing. MariaDB from 11.6.2 on can
# refuse the second of two writes at once, and slurmdbd exits then: it must not. A node without
# samples does not hold up the others for ever.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/samples.bash"
clear_samples

isolation=$(fine sql "SHOW VARIABLES LIKE 'innodb_snapshot_isolation'" | cut -f2)
if [ -n "$isolation" ]; then
	trap 'sql "SET GLOBAL innodb_snapshot_isolation=$isolation"' EXIT
	fine sql 'SET GLOBAL innodb_snapshot_isolation=ON'
fi
slurmdbd() { "$lab" status | grep '^slurmdbd '; }
before=$(slurmdbd)
like 'slurmdbd is running' 'runs, process [0-9]' "$before"

# sum JOB COLUMN: from the report, empty if a node is missing.
sum() { run tessera report --conf="$conf" --by=job --job="$1" --csv -o "$2" 2>/dev/null | sed 1d; }

# all_deliver NODE...: all at once, and none of them fails.
all_deliver() {
	local node pids=()
	for node in "$@"; do
		sample "$node" &
		pids+=($!)
	done
	for node in "${pids[@]}"; do fine wait "$node"; done
}
# complete JOB NODE...: another round of deliveries; do all records of the job have been delivered?
complete() {
	local job=$1
	shift
	all_deliver "$@"
	! ls "$TESSERA_LAB"/state/*/used."$job" >/dev/null 2>&1
}

hosts=(gc-poplar-02 gc-poplar-03 gc-poplar-04)
job=$(ann sbatch --parsable -o /dev/null -p p64 -N3 --ntasks-per-node=1 -w "$(IFS=, && echo "${hosts[*]}")" \
	--ipus=8 --wrap 'srun use-ipus 2')
for node in "${hosts[@]}"; do in_use "$node" 1; done
for node in "${hosts[@]}"; do fine sample "$node" --interval=10; done
ends "$job"
await_nodes "$job" 3
kept=$TESSERA_LAB/home/turns
for node in "${hosts[@]}"; do fine install -D "$TESSERA_LAB/state/$node/used.$job" "$kept/$node"; done

# restart_delivery: the comment is empty again, and each node has its record again.
restart_delivery() {
	local node
	fine run sacctmgr -iQ modify job where jobid="$job" set AdminComment=none >/dev/null
	for node in "${hosts[@]}"; do fine cp "$kept/$node" "$TESSERA_LAB/state/$node/used.$job"; done
	ended "$job" 0
}

# hold_row JOB: a session of our own locks the job's row in the database, so that writes of it wait;
# reads do not. release_row ends the session. Its standard input is the descriptor $session.
hold_row() {
	: >"$kept/locked"
	exec {session}> >(sql_session >"$kept/locked")
	echo "BEGIN; SELECT 'locked' FROM slurm_acct_db.lab_job_table WHERE id_job = $1 FOR UPDATE;" >&"$session"
	await "the row of job $1 is locked" grep -q locked "$kept/locked"
}
release_row() {
	echo 'ROLLBACK;' >&"$session"
	exec {session}>&-
}
# waiting_writes: how many writes of our parts wait in the database now.
waiting_writes() { fine sql "SELECT COUNT(*) FROM information_schema.processlist
	WHERE info LIKE 'update%lab_job_table%admin_comment%tessera%'"; }
# start_samples NODE...: all at once; each leaves its exit code in a file.
start_samples() {
	local node
	rm -f "$kept"/exit.*
	for node in "$@"; do
		{
			sample "$node"
			echo $? >"$kept/exit.$node"
		} {session}>&- &
	done
}
exits() { cat "$kept"/exit.* 2>/dev/null; }
# settled COUNT: each of COUNT nodes has exited or waits in the database.
settled() { [ $(($(exits | wc -l) + $(waiting_writes))) = "$1" ]; }
has_exited() { [ "$(exits | wc -l)" = "$1" ]; }
has_parts() { [ "$(comment "$job" | grep -o '"seen"' | wc -l)" = "$1" ]; }

# While one node writes, the others deliver as well.
restart_delivery
for written in 0 1 2; do
	hold_row "$job"
	start_samples "${hosts[@]}"
	await 'all nodes have tried to deliver' settled 3
	is "one node writes when $written have written" 1 "$(waiting_writes)"
	fine has_parts "$written"
	release_row
	await 'all nodes have exited' has_exited 3
	is 'no node failed' '0 0 0' "$(exits | xargs)"
	fine has_parts $((written + 1))
done
await 'all nodes have delivered' complete "$job" "${hosts[@]}"
is 'slurmdbd is the same process' "$before" "$(slurmdbd)"
is 'the report has the samples of all nodes' 60 "$(sum "$job" used_ipu_seconds)"

# The same without a lock, several times.
for _ in 1 2 3; do
	restart_delivery
	await 'all nodes have delivered' complete "$job" "${hosts[@]}"
	is 'slurmdbd is the same process' "$before" "$(slurmdbd)"
	is 'the report has the samples of all nodes' 60 "$(sum "$job" used_ipu_seconds)"
done
rm -r "$kept"

# The first node has no samples: the second waits for a window of its own.
job=$(ann sbatch --parsable -o /dev/null -N2 -w $one,$two --gres=rdu:1 --wrap 'srun use-tiles 3')
in_use $one 1
in_use $two 1
fine sample $two --interval=20
ends "$job"
await_nodes "$job" 2
ended "$job" 0
fine sample $two
is 'it is the turn of the first node' '' "$(comment "$job")"
ended "$job" 110
fine sample $two
is 'the second node writes in its own window' "$(object $two 60 null 0 20)" "$(comment "$job")"

# The first node takes its samples later, and must wait for its turn as well.
fine sed "s/tiles 60/tiles 30/; s/seen 20/seen 10/" "$TESSERA_LAB/state/$two/used.$job" >"$TESSERA_LAB/state/$one/used.$job"
ended "$job" 290
fine sample $one
is 'it is not the turn of the first node' "$(object $two 60 null 0 20)" "$(comment "$job")"
ended "$job" 380
all_deliver $one $two
is 'the usage of both nodes is delivered' "{\"tessera\":1,\"nodes\":{$(member $two 60 null 0 20),$(member $one 30 null 0 10)}}" "$(comment "$job")"
is 'the report has the samples of both nodes' 90 "$(sum "$job" used_tile_seconds)"
is 'slurmdbd is the same process' "$before" "$(slurmdbd)"
clear_samples
