#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A controller with access control: jobs run with the key from a file that only root can read. A
# wrong key or a file that others can read gives a message, and the key appears nowhere.
. "$(dirname "$0")/lib.sh"

guarded=$TESSERA_LAB/guarded
keys=$TESSERA_LAB/etc/vipu-keys
right=Right_Key_7731 wrong=Wrong_Key_4099
mkdir -p "$guarded"
"$TESSERA_LAB/emulator/emulator" --port 0 --port-file "$guarded/port" --control "$guarded" --user slurm --key $right >"$guarded/out" 2>&1 &
emulator=$!
trap 'site_keys; kill "$emulator"; wait "$emulator"; rm -rf "$guarded" "$keys"' EXIT
await 'the controller is running' test -s "$guarded/port"
emulated() { "$TESSERA_LAB/emulator/emulate" --control "$guarded" "$@"; }
nothing() { no_jobs && no_job_records && [ -z "$(emulated list)" ]; }

# key WHICH MODE: write the file with the key.
key() {
	printf 'api-user-id: slurm\napi-access-key: %s\n' "$1" >"$keys"
	chmod "$2" "$keys"
}
# unseen TEXT...: neither TEXT nor a log contains a key.
unseen() {
	unlike 'the output has no key' "$right|$wrong" "$*"
	unlike 'the logs have no key' "$right|$wrong" "$(cat "$TESSERA_LAB"/log/gc-poplar-*.log "$TESSERA_LAB/log/slurmctld.log" "$guarded/out")"
}
# What a user can read about the job: its record and its environment.
print_job='srun true; cat $RECORDS/*/job.$SLURM_JOB_ID; srun env'
print_as_user() { ann env RECORDS="$TESSERA_LAB/state" salloc -w gc-poplar-02 -p p64 --ipus=4 sh -c "$print_job" 2>&1; }
# lines_of PROGRAM: the command lines of this lab's processes that run PROGRAM.
lines_of() {
	local file
	for file in /proc/[0-9]*/cmdline; do grep -qsF "$TESSERA_LAB/bin/$1" "$file" && tr '\0' ' ' <"$file" && echo; done
	return 0
}
# while_made PROGRAM: start a job and read the command line of PROGRAM meanwhile.
while_made() {
	local waiting lines
	emulated delay 1000
	ann srun -Q -p p64 --ipus=4 true >/dev/null 2>&1 &
	waiting=$!
	await 'the partition is pending' pending
	lines=$(lines_of "$1")
	emulated delay 0
	wait $waiting || fail 'the job failed'
	like "$1 was running" 'create' "$lines"
	unlike "the command line has no key" "$right" "$lines"
}
pending() { emulated list | grep -q PENDING; }

port=$(<"$guarded/port")
site_keys "Port = $port" "MetadataFile = \"$keys\"" 'CreateWait = 3'
key $right 600
is 'a job runs' 'slurm_' "$(ann srun -p p64 --ipus=4 printenv IPUOF_VIPU_API_PARTITION_ID | tr -d 0-9)"
said=$(print_as_user)
like 'a user can read the job record' "^partition slurm_[0-9]+" "$said"
unseen "$said"
refused ann cat "$keys"
while_made tessera-vipu
await 'nothing is left' nothing

# Without the key nothing can be removed; with it tessera reap removes what is left.
mended() {
	key $right 600
	await 'the queue is empty' no_jobs
	fine run tessera reap --node=gc-poplar-02 --conf="$TESSERA_LAB/etc/tessera.conf" >/dev/null
	await 'nothing is left' nothing
}
# bad PATTERN: the job prints such a message, and its record has it too.
bad() {
	refused ann srun -Q -w gc-poplar-02 -p p64 --ipus=4 true
	like "the message of the job" "tessera: partition slurm_[0-9]+ of 4 IPUs cannot be created: .*($1)|tessera: .*($1)" "$said"
	unseen "$said"
	said=$(print_as_user)
	like 'the text of the job record' "text .*($1)" "$said"
	unseen "$said"
	unlike 'no node is drained or down' 'drain|down|fail' "$(run sinfo -hN -o '%N %T')"
	mended
}
key $wrong 600
bad 'UNAUTHENTICATED'
key $right 644
bad "$keys: its mode is 644"
printf 'api-user-id slurm\n%s\n' $wrong >"$keys" && chmod 600 "$keys"
bad "$keys:1: a line must be"

await 'nothing is left' nothing
