#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A node whose StateDir cannot be written, and a job whose client lacks the plugin: with tiles the
# job does not run and says why; without tiles it runs. slurmd creates a missing StateDir when it
# starts.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h2
state=$TESSERA_LAB/state/$node
conf=$(home ann)/slurm.conf
site=$TESSERA_LAB/etc/tessera.conf
cp "$site" "$site.saved"
undo() {
	! mountpoint -q "$state" || umount "$state"
	if [ -e "$state.saved" ]; then
		rm -rf "$state" && mv "$state.saved" "$state"
	fi
	rm -rf "$conf" "$(home ann)"/state.out "$TESSERA_LAB/state/elsewhere"
	mv -f "$site.saved" "$site"
}
trap undo EXIT
sed 's/^PlugStackConfig=.*/PlugStackConfig=\/dev\/null/' "$TESSERA_LAB/etc/slurm.conf" >"$conf"
plain() { ann env SLURM_CONF="$conf" "$@"; }

# aside: use another StateDir.  back: use the original one.
aside() {
	await 'no job is in the queue' no_jobs
	mv "$state" "$state.saved"
}
back() {
	await 'no job is in the queue' no_jobs
	! mountpoint -q "$state" || umount "$state"
	rm -rf "$state" && mv "$state.saved" "$state"
}

# no_tiles WHAT PATTERN: a job with tiles does not run and prints PATTERN; a job without tiles runs
# and prints nothing else.
no_tiles() {
	refused plain srun -Q -w $node --gres=rdu:1 echo ran
	like "$1: the message" "tessera: .*$2" "$said"
	unlike "$1: a job with tiles does not run" 'ran$' "$said"
	is "$1: a job without tiles runs" ran "$(plain srun -Q -w $node echo ran 2>&1)"
	unlike "$1: the node stays available" 'drain|down' "$(run sinfo -hn $node -o '%T %E')"
}
# goes_back WHAT PATTERN: a batch job is requeued, and its output has PATTERN.
goes_back() {
	local job
	job=$(plain sbatch --parsable --requeue -w $node --gres=rdu:1 -o state.out --wrap 'echo ran')
	await "$1: the batch job is requeued" requeued "$job"
	like "$1: the output says why" "tessera: .*$2; requeueing the job \(1 of 3\)" "$(cat "$(home ann)/state.out")"
	unlike "$1: the script has not run" '^ran' "$(cat "$(home ann)/state.out")"
	fine run scancel "$job"
}

aside
ln -s "$state.saved" "$state"
no_tiles 'a symbolic link' "$state: "
back

aside
mkdir "$state" && chown tess-bob "$state"
no_tiles "another user's" "$state: .*chown root"
back

aside
mkdir -m 777 "$state"
no_tiles "everybody's" "$state: .*chmod go-w"
back

aside
touch "$state"
no_tiles 'a file' "$state: "
goes_back 'a file' "$state: Not a directory"
await 'no job is in the queue' no_jobs
# After MaxRequeue tries the job is held.
rewrite "$site" with_lines "$site.saved" 'MaxRequeue = 0'
job=$(plain sbatch --parsable --requeue -w $node --gres=rdu:1 -o state.out --wrap 'echo ran')
is_held() { run scontrol show job "$job" | grep -q 'JobState=REQUEUE_HOLD\|Priority=0'; }
await 'the job is held' is_held
like 'the output says that the job is held' "Not a directory; holding the job after 1 tries: scontrol release $job" "$(cat "$(home ann)/state.out")"
fine run scancel "$job"
rewrite "$site" cat "$site.saved"
back

aside
ln -s "$TESSERA_LAB/state/elsewhere/gone" "$state"
no_tiles 'a link to nothing' "$state: "
back

# A missing directory is created by the next prolog, or by slurmd.
aside
is 'the prolog creates StateDir' 0x00000000000000ff "$(plain srun -w $node --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
back
aside
fine "$lab" restart $node
[ -d "$state" ] || fail 'slurmd did not create StateDir'
back

# A file system that is out of space, out of inodes, or read-only.
aside
mkdir "$state"
if ! mount -t tmpfs -o size=8k,nr_inodes=20,mode=755 tmpfs "$state" 2>/dev/null; then
	echo 'mount is not permitted here: full and read-only disks are not tried'
	back
	exit 0
fi
head -c 8192 /dev/zero >"$state/full"
no_tiles 'full' "$state.*No space left on device"
goes_back 'full' "$state.*No space left on device"
await 'no job is left' no_jobs
rm "$state/full"
for file in {1..20}; do touch "$state/full.$file" 2>/dev/null; done
no_tiles 'no files left' "$state.*No space left on device"
rm "$state"/full.*
fine mount -o remount,ro "$state"
no_tiles 'read-only' "$state.*Read-only file system"
goes_back 'read-only' "$state.*Read-only file system"
await 'no job is left' no_jobs
back
is 'a job has its tiles with the original StateDir' 0x00000000000000ff "$(plain srun -w $node --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
