# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Part of vipu.sh: partitions are created, awaited and removed.

run 0 version && [ "$(cat "$dir/out")" = 1.18.0 ]
report 'version prints 1.18.0' $?

mark
does create --job=10 --ipus=4 --wait=10
is 'one request makes it' "$(calls CreatePartition)" 1
sent '"requirements":{"id":"slurm_10","size":4,"num_gcds":1,"reconfigurable":true}'
report 'the request has the options' $?
has 'slurm_10 4 ACTIVE'
does await --job=10 --wait=10
other create zebra 8
other create alpha 2
run 0 list && [ "$(cat "$dir/out")" = "alpha active 2 1
slurm_10 active 4 1
zebra active 8 1" ]
report 'list is sorted by id' $?
does remove --job=10
has 'alpha 2 ACTIVE' 'zebra 8 ACTIVE'
does remove --job=10
does remove --job=4294967295
has 'alpha 2 ACTIVE' 'zebra 8 ACTIVE'
other remove alpha
other remove zebra

# A request has the settings of the site, and nothing else.
conf 'Allocation = alloc-1' 'Relocatable = yes' 'Reconfigurable = no' 'Prefix = "j_"'
mark
does create --job=11 --ipus=8 --gcds=2 --domains=1 --wait=10
sent '{"requirements":{"id":"j_11","size":8,"num_gcds":2,"allocation_id":"alloc-1"},"relocatable":true}'
report 'the request has the settings of the site' $?
does remove --job=11
conf 'Allocation = nowhere'
fails 5 "allocation 'nowhere' does not exist" create --job=11 --ipus=8 --wait=1
conf
fails 1 'slurm_12 of 3 IPUs cannot be created: V-IPU controller 127.0.0.1:[0-9]+: .*3.*INVALID_ARGUMENT' \
	create --job=12 --ipus=3 --wait=20
has

# Removal and creation take time. A helper that does not wait long enough removes what it created.
pace delay 0.6
pace remove_delay 0.4
does create --job=13 --ipus=4 --wait=10
has 'slurm_13 4 ACTIVE'
does remove --job=13
has
pace delay 30
fails 5 'slurm_13 of 4 IPUs could not be created within 1 seconds: V-IPU controller .*pending' create --job=13 --ipus=4 --wait=1
has
fails 5 'slurm_13 was not active within 1 seconds' await --job=13 --wait=1
pace delay 0
pace remove_delay 0

# await may start before the partition exists.
timeout 30 env -i "$helper" --conf="$dir/tessera.conf" --node=pod2 await --job=14 --wait=20 >"$dir/await" 2>&1 &
waiter=$!
does create --job=14 --ipus=4 --wait=10
wait "$waiter"
is 'the one that waited' $? 0
does remove --job=14

# create waits for the IPUs of a job that just ended.
other create full 64
fails 5 'RESOURCE_EXHAUSTED' create --job=15 --ipus=4 --wait=1
has 'full 64 ACTIVE'
mark
timeout 30 env -i "$helper" --conf="$dir/tessera.conf" --node=pod1 create --job=15 --ipus=4 --wait=20 >"$dir/late" 2>&1 &
waiter=$!
await_calls CreatePartition 2
other remove full
wait "$waiter"
is 'it has its IPUs when they are free' $? 0
has 'slurm_15 4 ACTIVE'

# A leftover of an earlier run is created again, or reset if so configured and it has the right size.
mark
does create --job=15 --ipus=4 --wait=10
is 'the leftover is removed' "$(calls RemovePartition) $(calls ResetPartition)" '1 0'
conf 'Leftover = reset'
mark
does create --job=15 --ipus=4 --wait=10
is 'the leftover is reset' "$(calls RemovePartition) $(calls ResetPartition)" '0 1'
mark
does create --job=15 --ipus=8 --wait=10
is 'one of another size is removed' "$(calls RemovePartition) $(calls ResetPartition)" '1 0'
has 'slurm_15 8 ACTIVE'
mark
does create --job=15 --ipus=8 --gcds=2 --wait=10
is 'one with other GCDs is removed' "$(calls RemovePartition) $(calls ResetPartition)" '1 0'
pace delay 0.5
mark
does create --job=15 --ipus=8 --gcds=2 --wait=10
[ "$(calls GetPartitionStatus)" -ge 3 ]
report 'create waits for the reset' $?
pace delay 0
fault stuck
does remove --job=15
fault none
has
conf

# The controller restarts while create waits: with its state, and without.
restart_during_wait() {
	pace delay 1.5
	mark
	timeout 30 env -i "$helper" --conf="$dir/tessera.conf" --node=pod1 create --job=16 --ipus=4 --wait=20 >"$dir/out" 2>&1 &
	waiter=$!
	await_calls GetPartitionStatus 1
	stop_emulator
	[ "$1" = with ] || rm -f "$dir/state"
	[ "$1" = with ] || pace delay 0
	start_emulator
	wait "$waiter"
	report "a controller that restarts $1 its state" $?
	is "creations with a restart $1 state" "$(calls CreatePartition)" "$2"
	has 'slurm_16 4 ACTIVE'
	pace delay 0
	does remove --job=16
}
restart_during_wait with 1
restart_during_wait without 2
