#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A controller with access control: jobs run with the key that root keeps in a file, with gRPC and with the vendor's program;
# a wrong key or a file that others can read ends in a sentence, and the key is nowhere to be seen.
. "$(dirname "$0")/lib.sh"

guarded=$TESSERA_LAB/guarded
keys=$TESSERA_LAB/etc/vipu-keys
hcl=$TESSERA_LAB/etc/vipu-keys.hcl
right=Right_Key_7731 wrong=Wrong_Key_4099
mkdir -p "$guarded"
"$TESSERA_LAB/emulator/emulator" --port 0 --port-file "$guarded/port" --control "$guarded" --user slurm --key $right >"$guarded/out" 2>&1 &
emulator=$!
trap 'site_keys; kill "$emulator"; wait "$emulator"; rm -rf "$guarded" "$keys" "$hcl"' EXIT
await 'the controller serves' test -s "$guarded/port"
emulated() { "$TESSERA_LAB/emulator/emulate" --control "$guarded" "$@"; }
nothing() { no_jobs && no_notes && [ -z "$(emulated list)" ]; }

# key WHICH MODE: the file that root keeps.
key() {
	printf 'api-user-id: slurm\napi-access-key: %s\n' "$1" >"$keys"
	chmod "$2" "$keys"
}
# unseen TEXT...: no key in it, nor in a log.
unseen() {
	unlike 'what the user reads' "$right|$wrong" "$*"
	unlike 'logs' "$right|$wrong" "$(cat "$TESSERA_LAB"/log/gc-poplar-*.log "$TESSERA_LAB/log/slurmctld.log" "$guarded/out")"
}
# What a user can see of his job: its note, its environment.
look='srun true; cat $NOTES/*/job.$SLURM_JOB_ID; srun env'
seen() { ann env NOTES="$TESSERA_LAB/state" salloc -w gc-poplar-02 -p p64 --ipus=4 sh -c "$look" 2>&1; }
# lines_of PROGRAM: the command lines of those of this lab's that run.
lines_of() {
	local file
	for file in /proc/[0-9]*/cmdline; do grep -qsF "$TESSERA_LAB/bin/$1" "$file" && tr '\0' ' ' <"$file" && echo; done
	return 0
}
# while_made PROGRAM: a job starts, and others look at the programs that work for it.
while_made() {
	local waiting lines
	emulated delay 1000
	ann srun -Q -p p64 --ipus=4 true >/dev/null 2>&1 &
	waiting=$!
	await 'it is being made' pending
	lines=$(lines_of "$1")
	emulated delay 0
	wait $waiting || broken 'the job failed'
	like "$1 was seen" 'create' "$lines"
	unlike "its command line" "$right" "$lines"
}
pending() { emulated list | grep -q PENDING; }

port=$(<"$guarded/port")
site_keys "Port = $port" "MetadataFile = \"$keys\"" 'CreateWait = 3'
key $right 600
is 'a job runs' 'slurm_' "$(ann srun -p p64 --ipus=4 printenv IPUOF_VIPU_API_PARTITION_ID | tr -d 0-9)"
said=$(seen)
like 'a user looked' "^partition slurm_[0-9]+" "$said"
unseen "$said"
refused ann cat "$keys"
while_made tessera-vipu
await 'nothing is left' nothing

# Without the key nobody can tell whether something is left; with it reap does.
mended() {
	key $right 600
	await 'the queue is empty' no_jobs
	fine run tessera reap --node=gc-poplar-02 --conf="$TESSERA_LAB/etc/tessera.conf" >/dev/null
	await 'nothing is left' nothing
}
# bad PATTERN: then a job says so, and its note too.
bad() {
	refused ann srun -Q -w gc-poplar-02 -p p64 --ipus=4 true
	like "a job" "tessera: partition slurm_[0-9]+ of 4 IPUs cannot be made: .*($1)|tessera: .*($1)" "$said"
	unseen "$said"
	said=$(seen)
	like 'its note' "text .*($1)" "$said"
	unseen "$said"
	unlike 'no node is taken away' 'drain|down|fail' "$(run sinfo -hN -o '%N %T')"
	mended
}
key $wrong 600
bad 'UNAUTHENTICATED'
key $right 644
bad "$keys: its mode is 644"
printf 'api-user-id slurm\n%s\n' $wrong >"$keys" && chmod 600 "$keys"
bad "$keys:1: a line is"

# The vendor's program has it in a file of its own.
printf 'api-host = "127.0.0.1"\napi-port = "%s"\napi-user-id = "slurm"\napi-access-key = "%s"\n' "$port" $right >"$hcl"
chmod 600 "$hcl"
tool="$TESSERA_LAB/bin/vipu --config $hcl"
site_keys "Port = $port" 'Backend = command' "CreateCommand = \"$tool create partition %p --size %n\"" "RemoveCommand = \"$tool remove partition %p\"" \
	"ForceCommand = \"$tool remove partition %p --force\"" "StatusCommand = \"$tool get partition %p --gcd 0 --ipuof-configs\""
is 'a job runs by command' 'slurm_' "$(ann srun -p p64 --ipus=4 printenv IPUOF_VIPU_API_PARTITION_ID | tr -d 0-9)"
refused ann cat "$hcl"
while_made vipu
await 'nothing is left' nothing
