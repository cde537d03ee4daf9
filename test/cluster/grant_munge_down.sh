#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Without munged, or with one that hangs, jobs run without a grant, and slurmd logs one line for
# each step. The user sees no message, and no job waits long.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/grants.bash"
work=$(mktemp -d)
chmod 755 "$work"
munged=
trap '[ -z "$munged" ] || { kill -CONT $munged && kill $munged; }; restore_conf; rm -rf "$work"' EXIT

# without WHAT PATTERN: the tasks of a step run without a grant, not even an inherited one, and the
# log has one line with PATTERN.
without() {
	local what=$1 pattern=$2 said
	log_from $one
	said=$(ann salloc -Q -w $one -n3 --tiles-per-task=4 env TESSERA_GRANT=inherited srun -Q sh -c 'echo "<$TESSERA_GRANT> $SF_RNT_TILE_AFFINITY"' 2>&1)
	is "$what: the step succeeds" 0 $?
	is "$what: its tasks" '<> 0x000000000000000f
<> 0x00000000000000f0
<> 0x0000000000000f00' "$(sort <<<"$said")"
	if [ -n "$pattern" ]; then
		like "$what: the reason is logged" "$pattern" "$(log_since)"
		is "$what: one line is logged" 1 "$(log_since | wc -l)"
	else
		is "$what: nothing is logged" '' "$(log_since)"
	fi
}

set_conf MungeSocket "\"$work/none\""
without 'no munged' "step [0-9]+\.0 runs without a grant: munged at $work/none does not respond"

# libmunge would wait ten seconds for this munged. The log shows that Tessera does not.
head -c 1024 /dev/urandom >"$work/key" && chmod 600 "$work/key"
munged --foreground --key-file="$work/key" --socket="$work/socket" --pid-file="$work/pid" --log-file="$work/log" \
	--seed-file="$work/seed" >"$work/out" 2>&1 &
munged=$!
answers() { munge --no-input --socket="$work/socket" >/dev/null 2>&1; }
await 'the second munged answers' answers
kill -STOP $munged
set_conf MungeSocket "\"$work/socket\""
without 'a munged that hangs' "step [0-9]+\.0 runs without a grant: timed out after 1 s waiting for munged at $work/socket"
log_from $one
fine ann sbatch -W -Q -w $one -o hang.out --gres=rdu:1 --wrap 'echo "<$TESSERA_GRANT>"'
is 'the batch script has no grant' '<>' "$(cat "$(home ann)/hang.out")"
like 'the log names the step as Slurm does' 'step [0-9]+\.batch runs without a grant' "$(log_since)"
rm -f "$(home ann)/hang.out"
like 'doctor reports the timeout' "jobs run without TESSERA_GRANT: munged at $work/socket for 2 s: timed out" "$(run tessera doctor --node=$one)"

# A munged with another key belongs to another cluster.
kill -CONT $munged
await 'munged answers again' answers
grant=$(ann srun -w $one -n1 --gres=rdu:1 printenv TESSERA_GRANT)
set_conf MungeSocket "\"$socket\""
run_verify ann $one TESSERA_GRANT="$grant" SF_RNT_TILE_AFFINITY=0x1
is "the grant of another munge key is refused" 12 "$code"

# A module that other users may write is not loaded.
chmod 777 "$TESSERA_LAB/lib/tessera_grant.so"
without 'a module with the wrong mode' "runs without a grant: $TESSERA_LAB/lib/tessera_grant.so: its mode is 777"
chmod 755 "$TESSERA_LAB/lib/tessera_grant.so"

# With Grants = no nothing is tried or logged.
set_conf Grants no
set_conf MungeSocket "\"$work/none\""
without 'Grants = no' ''
