#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A grant that is forged, altered, of another user, too narrow or of an ended job is refused, each
# with its own exit code. An old grant of a running job is accepted.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/grants.bash"
mask=0x000000000000ffff
bob=$(id -u tess-bob)

# Two running jobs: Ann's on one node, Bob's on the other. Each writes its grant to a file.
holds='echo $TESSERA_GRANT >grant.new; mv grant.new grant.$SLURM_JOB_ID; sleep 600'
job=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:2 --wrap "$holds")
other=$(bob sbatch --parsable -o /dev/null -w $two --gres=rdu:2 --wrap "$holds")
await 'the job of Ann has its grant' test -e "$(home ann)/grant.$job"
await 'the job of Bob has its grant' test -e "$(home bob)/grant.$other"
grant=$(cat "$(home ann)/grant.$job")
bobs=$(cat "$(home bob)/grant.$other")
text=$(grant_text "$grant")

# expects WHAT CODE PATTERN NODE USER VARIABLE=VALUE...
expects() {
	local what=$1 wanted=$2 pattern=$3 node=$4 user=$5
	shift 5
	run_verify "$user" "$node" "$@"
	is "$what: the exit code" "$wanted" "$code"
	like "$what: the message" "^$pattern" "$said"
}
# anns GRANT [VARIABLE=VALUE]...: verify GRANT as Ann on her node.
anns() { expects "$what" "$wanted" "$pattern" $one ann SF_RNT_TILE_AFFINITY=$mask TESSERA_GRANT="$1" "${@:2}"; }

what='her own grant' wanted=0 pattern="granted to job $job.batch of tess-ann on $one: rdu0,rdu1\$" && anns "$grant"
what='her own grant a second time' && anns "$grant"
what='fewer tiles' && anns "$grant" SF_RNT_TILE_AFFINITY=0x1

wanted=10 pattern='tessera: there is no grant'
what='an empty grant' && anns ''
expects 'no grant' 10 'tessera: there is no grant' $one ann -u TESSERA_GRANT SF_RNT_TILE_AFFINITY=$mask

wanted=11 pattern='tessera: the grant is not a munge credential'
what='a word instead of a credential' && anns granted
what='a truncated credential' && anns "${grant:0:100}"
what='a credential that is too long' pattern='tessera: the grant is' && anns "MUNGE:$(head -c 100000 /dev/zero | tr '\0' A):"
what='a credential that Ann created' pattern="tessera: the grant was created by uid $(id -u tess-ann)" &&
	anns "$(printf %s "$text" | ann munge --socket="$socket")"
what="a credential of root without a grant" pattern='tessera: not a grant of this release' && anns "$(munge_text 'hello')"
what='a grant of a future version' && anns "$(munge_text "${text/tessera-grant 1/tessera-grant 2}")"
what='a grant of job 0' && anns "$(munge_text "${text/job $job/job 0}")"

wanted=12 pattern='tessera: the grant was altered'
for at in 20 60 150 250; do
	old=${grant:at:1}
	new=A && [ "$old" != A ] || new=B
	what="a credential altered at $at" && anns "${grant:0:at}$new${grant:at+1}"
done

what="Bob's grant" wanted=13
expects "$what" 13 'tessera: the grant is for node' $one ann SF_RNT_TILE_AFFINITY=$mask TESSERA_GRANT="$bobs"
expects "$what" 13 "tessera: the grant is for uid $bob" $two ann SF_RNT_TILE_AFFINITY=$mask TESSERA_GRANT="$bobs"
expects 'the grant of Ann shown by root' 13 'tessera: the grant is for uid .* but this process has uid 0' $one root SF_RNT_TILE_AFFINITY=$mask TESSERA_GRANT="$grant"
what='her own grant on another node' && expects "$what" 13 "tessera: the grant is for node $one, but this is $two" $two ann \
	SF_RNT_TILE_AFFINITY=$mask TESSERA_GRANT="$grant"
what='a grant of another cluster' pattern='tessera: the grant is for cluster prod' && anns "$(munge_text "${text/cluster lab/cluster prod}")"

wanted=14
what='other tiles' pattern='tessera: SF_RNT_TILE_AFFINITY=0x10000 names tiles that were not granted: 2.0' && anns "$grant" SF_RNT_TILE_AFFINITY=0x10000
what='more tiles' pattern='tessera: .* granted were rdu0,rdu1' && anns "$grant" SF_RNT_TILE_AFFINITY=0xffffffffffffffff
what='no mask in the environment' pattern='tessera: SF_RNT_TILE_AFFINITY is not set' && expects "$what" 14 "$pattern" $one ann -u SF_RNT_TILE_AFFINITY TESSERA_GRANT="$grant"
what='a mask that is not a number' pattern='tessera: SF_RNT_TILE_AFFINITY=rdu0 is not a mask' && anns "$grant" SF_RNT_TILE_AFFINITY=rdu0
what='a mask that names no tiles' pattern='tessera: SF_RNT_TILE_AFFINITY' && anns "$grant" SF_RNT_TILE_AFFINITY=all
what='a partition that was not granted' pattern='tessera: IPUOF_VIPU_API_PARTITION_ID=slurm_1 was not granted' && anns "$grant" IPUOF_VIPU_API_PARTITION_ID=slurm_1

# A credential that munge calls expired is accepted as long as the job is running.
old=$(munge_text "$text" --ttl=1)
expired() { (unmunge --socket="$socket" --output=/dev/null --keys=STATUS <<<"$old" || true) | grep -q Expired; }
await 'munge calls it expired' expired
what='an expired credential of a running job' wanted=0 pattern='granted to job' && anns "$old"
fine run scontrol suspend "$job"
what='the grant of a suspended job' && anns "$grant"
fine run scontrol resume "$job"

# An earlier run of the same job, and an earlier job with the same number.
wanted=15 pattern="tessera: the grant is for job $job, which has ended on this node"
what='the grant of another run' && anns "$(munge_text "${text/restarts 0/restarts 1}")"
what='the grant of another start time' && anns "$(munge_text "${text/time $(field time "$grant")/time 1700000000}")"
what='the grant of a job on another node' pattern="tessera: the grant is for job $other" && anns "$(munge_text "${text/job $job/job $other}")"
theirs=${text/job $job/job $other}
expects "the job of another user" 15 "tessera: the grant is for job $other" $two ann SF_RNT_TILE_AFFINITY=$mask \
	TESSERA_GRANT="$(munge_text "${theirs/node $one/node $two}")"
what='the grant of an unknown job' pattern='tessera: the grant is for job 4000000' && anns "$(munge_text "${text/job $job/job 4000000}")"

# slurmctld cannot be queried.
cp "$conf" "$conf.saved"
trap restore_conf EXIT
sed -i "s|^MungeSocket.*|MungeSocket = \"$TESSERA_LAB/run/nobody\"|" "$conf"
what='no munged' wanted=3 pattern="tessera: munged at $TESSERA_LAB/run/nobody does not respond" && anns "$grant"
restore_conf

# Root and the owner of a process may verify it.
pid=$(ann sh -c "SLURMD_NODENAME=$one SF_RNT_TILE_AFFINITY=$mask TESSERA_GRANT=$grant sleep 600 >/dev/null 2>&1 & echo \$!")
trap 'kill "$pid"' EXIT
like 'root may verify the process' "^granted to job $job.batch of tess-ann" "$(run tessera verify --conf="$conf" --node=$one --pid="$pid")"
like 'the owner may verify the process' "^granted to job $job.batch of tess-ann" "$(ann tessera verify --conf="$conf" --node=$one --pid="$pid")"
said=$(bob tessera verify --conf="$conf" --node=$one --pid="$pid" 2>&1)
is 'another user may not verify the process' 4 $?
# The process ends while munged is queried: its PID may have been reused.
between=$TESSERA_LAB/run/between
rm -f "$between" "$between.new"
sed "s|^MungeSocket.*|MungeSocket = \"$between\"|" "$conf" >"$conf.between"
/usr/bin/python3 - "$between" "$socket" "$pid" <<'PYTHON' &
import os, select, socket, sys
between, munged, pid = sys.argv[1:]
listener, behind = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
listener.bind(between + ".new")
listener.listen()
os.rename(between + ".new", between)
listener.settimeout(60)
before = listener.accept()[0]
os.kill(int(pid), 9)
while os.path.exists("/proc/" + pid):
    select.select([], [], [], 0.01)
behind.connect(munged)
while True:
    for side in select.select([before, behind], [], [])[0]:
        data = side.recv(65536)
        if not data:
            sys.exit()
        (behind if side is before else before).sendall(data)
PYTHON
await 'the relay to munged listens' test -S "$between"
said=$(run tessera verify --conf="$conf.between" --node=$one --pid="$pid" 2>&1)
is 'the exit code is 3 when the process ends' 3 $?
is 'the message says that the process ended' "tessera: process $pid ended during the check" "$said"
trap - EXIT
fine wait $!
rm -f "$between" "$conf.between"

# When the job ends, its grant ends too.
fine run scancel "$job"
await 'the job has left the queue' eval "[ -z \"\$(run squeue -hj $job 2>/dev/null)\" ]"
what='the grant of an ended job' wanted=15 pattern="tessera: the grant is for job $job, which has ended on this node" && anns "$grant"

# A requeued job has a new grant. The old one is refused although the job number is the same.
job=$(ann sbatch --parsable -o /dev/null -w $one --requeue --gres=rdu:2 --wrap "$holds")
await 'the first run has its grant' test -e "$(home ann)/grant.$job"
grant=$(cat "$(home ann)/grant.$job")
what='the grant of the first run' wanted=0 pattern='granted to job' && anns "$grant"
rm -f "$(home ann)/grant.$job"
fine run scontrol requeue "$job"
await 'the job is pending' is_state "$job" PENDING
what='the grant of a requeued job' wanted=15 pattern="tessera: the grant is for job $job" && anns "$grant"
await 'Slurm allows it to start on the other node' eval "run scontrol update jobid=$job ReqNodeList=$two StartTime=now 2>/dev/null"
await 'the second run has its grant' test -e "$(home ann)/grant.$job"
again=$(cat "$(home ann)/grant.$job")
is 'the second grant names the second run' "$job 1 $two" "$(field job "$again") $(field restarts "$again") $(field node "$again")"
expects 'the grant of the second run' 0 "granted to job $job" $two ann SF_RNT_TILE_AFFINITY="$(run tessera mask --platform=sn30-8 "$(field tiles "$again")")" TESSERA_GRANT="$again"
what='the grant of the first run while the second runs' && anns "$grant"
fine run scancel "$job" "$other"
rm -f "$(home ann)"/grant.* "$(home bob)"/grant.*
