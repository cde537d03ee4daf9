#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Without a munged, or with one that hangs, jobs run without a grant, and slurmd's log has one line for each step; the user
# reads nothing of it, and no job waits for long.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/grants.bash"
work=$(mktemp -d)
chmod 755 "$work"
munged=
trap '[ -z "$munged" ] || { kill -CONT $munged && kill $munged; }; setting_back; rm -rf "$work"' EXIT

# without WHAT PATTERN: tasks of a step run, without even the grant that they inherit; the log has this, once.
without() {
	local what=$1 pattern=$2 said
	log_from $one
	said=$(ann salloc -Q -w $one -n3 --tiles-per-task=4 env TESSERA_GRANT=inherited srun -Q sh -c 'echo "<$TESSERA_GRANT> $SF_RNT_TILE_AFFINITY"' 2>&1)
	is "$what: the step" 0 $?
	is "$what: its tasks" '<> 0x000000000000000f
<> 0x00000000000000f0
<> 0x0000000000000f00' "$(sort <<<"$said")"
	if [ -n "$pattern" ]; then
		like "$what: the log" "$pattern" "$(log_since)"
		is "$what: lines" 1 "$(log_since | wc -l)"
	else
		is "$what: the log" '' "$(log_since)"
	fi
}

setting MungeSocket "\"$work/none\""
without 'no munged' "step [0-9]+\.0 runs without a grant: munged at $work/none gives no answer"

# munge would wait ten seconds for this one. That nobody does is in the log.
head -c 1024 /dev/urandom >"$work/key" && chmod 600 "$work/key"
munged --foreground --key-file="$work/key" --socket="$work/socket" --pid-file="$work/pid" --log-file="$work/log" \
	--seed-file="$work/seed" >"$work/out" 2>&1 &
munged=$!
answers() { munge --no-input --socket="$work/socket" >/dev/null 2>&1; }
await 'the other munged answers' answers
kill -STOP $munged
setting MungeSocket "\"$work/socket\""
without 'a munged that hangs' "step [0-9]+\.0 runs without a grant: munged at $work/socket for 1 s: no answer in time"
fine ann sbatch -W -Q -w $one -o hang.out --gres=rdu:1 --wrap 'echo "<$TESSERA_GRANT>"'
is 'a batch script' '<>' "$(cat "$(home ann)/hang.out")"
rm -f "$(home ann)/hang.out"
like 'what doctor says' "jobs run without TESSERA_GRANT: munged at $work/socket for 2 s: no answer in time" "$(run tessera doctor --node=$one)"

# A key of its own is another cluster's.
kill -CONT $munged
await 'it answers again' answers
grant=$(ann srun -w $one -n1 --gres=rdu:1 printenv TESSERA_GRANT)
setting MungeSocket "\"$socket\""
verdict ann $one TESSERA_GRANT="$grant" SF_RNT_TILE_AFFINITY=0x1
is "another munge's grant" 12 "$code"

# A module that others may write to is not loaded.
chmod 777 "$TESSERA_LAB/lib/tessera_grant.so"
without 'a module that is not to be trusted' "runs without a grant: $TESSERA_LAB/lib/tessera_grant.so: its mode is 777"
chmod 755 "$TESSERA_LAB/lib/tessera_grant.so"

# A site without munge says so, and nothing is tried or logged.
setting Grants no
setting MungeSocket "\"$work/none\""
without 'Grants = no' ''
