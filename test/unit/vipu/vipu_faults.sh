# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Part of vipu.sh: a controller that refuses, sends invalid answers, hangs or is another program.

site='V-IPU controller 127\.0\.0\.1:[0-9]+: '
made='partition slurm_20 of 4 IPUs '

# broken KIND CODE PATTERN: create fails while the controller has this fault, and leaves nothing behind
broken() {
	fault "$1"
	fails "$2" "^$made.*$site.*$3" create --job=20 --ipus=4 --wait=1
	fault none
	does remove --job=20
	has
}
broken refuse 5 'fabric is 100% busy, 5%25 free – naïve café ✓ \(gRPC FAILED_PRECONDITION\)'
broken unavailable 3 'the controller is starting \(gRPC UNAVAILABLE\)'
broken unauthenticated 4 'wrong access key \(gRPC UNAUTHENTICATED\)'
broken denied 4 'no access to this allocation \(gRPC PERMISSION_DENIED\)'
broken ps_error 5 'state is error: .*IPU-Link training failed; IPUoF server'
broken never 5 'state is pending'
broken old 3 'unknown service.*UNIMPLEMENTED'
broken hang 3 'timed out after'

# A failure that lasts is reported at once.
at_once() {
	fault "$1"
	mark
	fails "$2" "^${made}cannot be created: $3" create --job=20 --ipus=4 --wait=25
	is "creations with $1" "$(calls CreatePartition)" 1
	fault none
}
at_once unauthenticated 4 "$site"
at_once denied 4 "$site"
at_once old 3 "unsupported interface; the controller's version is 1\.0\.3: $site"

# The message of one failed call. The emulator closes the connection after a damaged answer; if libcurl sees that first,
# it reports an empty reply.
asked() {
	# shellcheck disable=SC2086
	fault $1
	fails "$2" "^$site($3)" list
	fault none
}
asked 'exhausted' 5 'no room: .*RESOURCE_EXHAUSTED'
asked 'internal' 5 'lost the connection to agent ag03 \(gRPC INTERNAL\)'
asked 'drop ListPartitions' 3 'the connection broke'
asked 'garbage ListPartitions' 3 'the connection broke'
asked 'badframe ListPartitions' 3 'its answer says that it has [0-9]+ bytes, but [0-9]+ came|.*Empty reply'
asked 'compressed ListPartitions' 3 'its answer is compressed \(flag 1\)|.*Empty reply'
asked 'truncated ListPartitions' 3 'its answer of [0-9]+ bytes is not a ListPartitionsReply|.*Empty reply'
asked 'notrailers ListPartitions' 3 'its answer ended without a gRPC status|.*Empty reply'
# A large answer takes time on a busy machine.
call_wait=20 conf
asked 'oversized ListPartitions' 3 'its answer is larger than 4 MiB'
conf
asked 'http1' 3 'the connection broke, or it does not speak gRPC'
asked 'reset' 3 'the connection broke.*reset|cannot be reached'
asked 'silent' 3 'timed out after (2\.0|1\.9) seconds'
asked 'slow ListPartitions' 3 'timed out after (2\.0|1\.9) seconds|.*DEADLINE_EXCEEDED'

# A fault that happens once: the retry creates the partition, and only one.
passing() {
	fault "$1" "$2" 1
	does create --job=21 --ipus=4 --wait=15
	has 'slurm_21 4 ACTIVE'
	does remove --job=21
}
for kind in refuse exhausted unavailable internal drop garbage badframe truncated notrailers lost oversized; do
	passing $kind CreatePartition
done
passing ps_error CreatePartition
passing internal GetPartitionStatus
passing drop GetPartitionStatus
passing unavailable '*'
passing reset '*'

# Removal: by force if needed, again if the answer is lost, and a message if all fails.
other create slurm_22 4
mark
fault stuck
does remove --job=22
sent '"force":true'
report 'it was forced' $?
fault none
has
for kind in unavailable lost drop internal; do
	other create slurm_22 4
	fault $kind RemovePartition 1
	does remove --job=22
	has
done
other create slurm_22 4
fault unavailable ListPartitions 1
does remove --job=22
fault none
other create slurm_22 4
fault immortal
fails 5 "partition slurm_22 could not be removed: ${site}.*" remove --job=22
fault none
has 'slurm_22 4 ACTIVE'
pace remove_delay 60
fails 5 'partition slurm_22 could not be removed: .*still exists after its removal was accepted \(forced\)' remove --job=22
pace remove_delay 0
stop_emulator
fails 3 'slurm_22 could not be removed: .*cannot be reached' remove --job=22
fails 3 "^${site}cannot be reached .*: is it running, and are Host and Port right" version
fails 3 "could not be created within 1 seconds: ${site}cannot be reached" create --job=23 --ipus=4 --wait=1
fails 3 'slurm_23 was not active within 1 seconds: .*cannot be reached' await --job=23 --wait=1
rm -f "$dir/state"
start_emulator
has

# SIGTERM ends it at once.
fault hang
mark
timeout 30 env -i "$helper" --conf="$dir/tessera.conf" --node=pod1 create --job=24 --ipus=4 --wait=25 &
waiter=$!
await_calls CreatePartition 1
kill "$waiter"
wait "$waiter"
is 'ended by SIGTERM' $? 143
fault none
has
