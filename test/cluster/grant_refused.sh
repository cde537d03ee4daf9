#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A grant that is hand-made, altered, another's, too narrow or outlived is refused, each with its own exit code; an old one of
# a job that lives is not.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/grants.bash"
mask=0x000000000000ffff
bob=$(id -u tess-bob)

# Two jobs that live: Ann's on one node, Bob's on the other. Each tells its grant.
holds='echo $TESSERA_GRANT >grant.new; mv grant.new grant.$SLURM_JOB_ID; sleep 600'
job=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:2 --wrap "$holds")
other=$(bob sbatch --parsable -o /dev/null -w $two --gres=rdu:2 --wrap "$holds")
await 'Ann has hers' test -e "$(home ann)/grant.$job"
await 'Bob has his' test -e "$(home bob)/grant.$other"
grant=$(cat "$(home ann)/grant.$job")
bobs=$(cat "$(home bob)/grant.$other")
text=$(inside "$grant")

# expects WHAT CODE PATTERN NODE USER VARIABLE=VALUE...
expects() {
	local what=$1 wanted=$2 pattern=$3 node=$4 user=$5
	shift 5
	verdict "$user" "$node" "$@"
	is "$what" "$wanted" "$code"
	like "$what" "^$pattern" "$said"
}
# anns GRANT [VARIABLE=VALUE]...: what Ann shows on her node.
anns() { expects "$what" "$wanted" "$pattern" $one ann SF_RNT_TILE_AFFINITY=$mask TESSERA_GRANT="$1" "${@:2}"; }

what='her own' wanted=0 pattern="granted to job $job.batch of tess-ann on $one: rdu0,rdu1\$" && anns "$grant"
what='her own, again' && anns "$grant"
what='fewer tiles' && anns "$grant" SF_RNT_TILE_AFFINITY=0x1

wanted=10 pattern='tessera: there is no grant'
what='none' && anns ''
expects none 10 'tessera: there is no grant' $one ann -u TESSERA_GRANT SF_RNT_TILE_AFFINITY=$mask

wanted=11 pattern='tessera: the grant is not a munge credential'
what='a word' && anns granted
what='a half' && anns "${grant:0:100}"
what='a long one' pattern='tessera: the grant is' && anns "MUNGE:$(head -c 100000 /dev/zero | tr '\0' A):"
what='one by her own hand' pattern="tessera: the grant was made by user $(id -u tess-ann)" &&
	anns "$(printf %s "$text" | ann munge --socket="$socket")"
what="root's, but no grant" pattern='tessera: it has no grant in it' && anns "$(sealed 'hello')"
what='of a version to come' && anns "$(sealed "${text/tessera-grant 1/tessera-grant 2}")"
what='of job 0' && anns "$(sealed "${text/job $job/job 0}")"

wanted=12 pattern='tessera: the grant was altered'
for at in 20 60 150 250; do
	old=${grant:at:1}
	new=A && [ "$old" != A ] || new=B
	what="altered at $at" && anns "${grant:0:at}$new${grant:at+1}"
done

what="Bob's grant" wanted=13
expects "$what" 13 'tessera: it was granted on node' $one ann SF_RNT_TILE_AFFINITY=$mask TESSERA_GRANT="$bobs"
expects "$what" 13 "tessera: it was granted to user $bob" $two ann SF_RNT_TILE_AFFINITY=$mask TESSERA_GRANT="$bobs"
expects 'root is no better' 13 'tessera: it was granted to user .* and shown by user 0' $one root SF_RNT_TILE_AFFINITY=$mask TESSERA_GRANT="$grant"
what='her own elsewhere' && expects "$what" 13 "tessera: it was granted on node $one, and this is $two" $two ann \
	SF_RNT_TILE_AFFINITY=$mask TESSERA_GRANT="$grant"
what='of another cluster' pattern='tessera: it was granted on cluster prod' && anns "$(sealed "${text/cluster lab/cluster prod}")"

wanted=14
what='other tiles' pattern='tessera: SF_RNT_TILE_AFFINITY=0x10000 names tiles that were not granted: 2.0' && anns "$grant" SF_RNT_TILE_AFFINITY=0x10000
what='more tiles' pattern='tessera: .* granted were rdu0,rdu1' && anns "$grant" SF_RNT_TILE_AFFINITY=0xffffffffffffffff
what='no mask' pattern='tessera: SF_RNT_TILE_AFFINITY is not set' && expects "$what" 14 "$pattern" $one ann -u SF_RNT_TILE_AFFINITY TESSERA_GRANT="$grant"
what='granted, but no mask' pattern='tessera: SF_RNT_TILE_AFFINITY=rdu0 is not a mask' && anns "$grant" SF_RNT_TILE_AFFINITY=rdu0
what='no set of tiles' pattern='tessera: SF_RNT_TILE_AFFINITY' && anns "$grant" SF_RNT_TILE_AFFINITY=all
what='a partition' pattern='tessera: IPUOF_VIPU_API_PARTITION_ID=slurm_1 was not granted' && anns "$grant" IPUOF_VIPU_API_PARTITION_ID=slurm_1

# munge's clock is not the job's: what munge calls expired is good as long as the job lives.
old=$(sealed "$text" --ttl=1)
expired() { (unmunge --socket="$socket" --output=/dev/null --keys=STATUS <<<"$old" || true) | grep -q Expired; }
await 'munge calls it expired' expired
what='an old one' wanted=0 pattern='granted to job' && anns "$old"
fine run scontrol suspend "$job"
what='of a suspended job' && anns "$grant"
fine run scontrol resume "$job"

# An earlier run of the same job, and an earlier job of the same number.
wanted=15 pattern="tessera: it was granted to job $job, which has ended here"
what='another run' && anns "$(sealed "${text/restarts 0/restarts 1}")"
what='another time' && anns "$(sealed "${text/time $(field time "$grant")/time 1700000000}")"
what='a job elsewhere' pattern="tessera: it was granted to job $other" && anns "$(sealed "${text/job $job/job $other}")"
theirs=${text/job $job/job $other}
expects "another's job" 15 "tessera: it was granted to job $other" $two ann SF_RNT_TILE_AFFINITY=$mask \
	TESSERA_GRANT="$(sealed "${theirs/node $one/node $two}")"
what='no job' pattern='tessera: it was granted to job 4000000' && anns "$(sealed "${text/job $job/job 4000000}")"

# Nobody can say.
cp "$conf" "$conf.saved"
trap setting_back EXIT
sed -i "s|^MungeSocket.*|MungeSocket = \"$TESSERA_LAB/run/nobody\"|" "$conf"
what='no munged' wanted=3 pattern="tessera: munged at $TESSERA_LAB/run/nobody gives no answer" && anns "$grant"
setting_back

# A process may be asked about by its owner and by root.
pid=$(ann sh -c "SLURMD_NODENAME=$one SF_RNT_TILE_AFFINITY=$mask TESSERA_GRANT=$grant sleep 600 >/dev/null 2>&1 & echo \$!")
trap 'kill "$pid"' EXIT
like 'by root' "^granted to job $job.batch of tess-ann" "$(run tessera verify --conf="$conf" --node=$one --pid="$pid")"
like 'by its owner' "^granted to job $job.batch of tess-ann" "$(ann tessera verify --conf="$conf" --node=$one --pid="$pid")"
said=$(bob tessera verify --conf="$conf" --node=$one --pid="$pid" 2>&1)
is 'by somebody else' 4 $?
# It ends while munged is asked: the number may be another's by now.
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
await 'somebody is between' test -S "$between"
said=$(run tessera verify --conf="$conf.between" --node=$one --pid="$pid" 2>&1)
is 'it ends meanwhile' 3 $?
is 'that is told' "tessera: process $pid ended while it was looked at: nothing is known of it" "$said"
trap - EXIT
fine wait $!
rm -f "$between" "$conf.between"

# The job ends, and its grant with it.
fine run scancel "$job"
await 'it has gone' eval "[ -z \"\$(run squeue -hj $job 2>/dev/null)\" ]"
what='outlived' wanted=15 pattern="tessera: it was granted to job $job, which has ended here" && anns "$grant"

# A job that is requeued has a new one, and the old one is worth nothing any more, though the number is the same.
job=$(ann sbatch --parsable -o /dev/null -w $one --requeue --gres=rdu:2 --wrap "$holds")
await 'the first' test -e "$(home ann)/grant.$job"
grant=$(cat "$(home ann)/grant.$job")
what='the first run' wanted=0 pattern='granted to job' && anns "$grant"
rm -f "$(home ann)/grant.$job"
fine run scontrol requeue "$job"
await 'it waits' is_state "$job" PENDING
what='requeued' wanted=15 pattern="tessera: it was granted to job $job" && anns "$grant"
await 'Slurm lets it start elsewhere' eval "run scontrol update jobid=$job ReqNodeList=$two StartTime=now 2>/dev/null"
await 'the second' test -e "$(home ann)/grant.$job"
again=$(cat "$(home ann)/grant.$job")
is 'the second run' "$job 1 $two" "$(field job "$again") $(field restarts "$again") $(field node "$again")"
expects 'the second' 0 "granted to job $job" $two ann SF_RNT_TILE_AFFINITY="$(run tessera mask --platform=sn30-8 "$(field tiles "$again")")" TESSERA_GRANT="$again"
what='the first' && anns "$grant"
fine run scancel "$job" "$other"
rm -f "$(home ann)"/grant.* "$(home bob)"/grant.*
