#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Who uses an accelerator without having been granted one is found and named, as whoever ran python directly; processes of
# jobs that have some, and those with a grant that is good, are left out.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/grants.bash"
. "$(dirname "$0")/samples.bash"
forget
direct=()
trap 'kill "${direct[@]}" 2>/dev/null; setting_back' EXIT

# guard NODE [OPTION]...: $found is what it lists, $code its exit code.
guard() {
	local node=$1
	shift
	found=$(run tessera guard --conf="$conf" --node="$node" --raw -o user,command,job,verdict "$@" 2>&1 | sed 1d)
	code=$?
}
# lists WHAT NODE CODE LINES [OPTION]...
lists() {
	local what=$1 node=$2 wanted=$3 lines=$4
	shift 4
	guard "$node" "$@"
	is "$what" "$lines" "$(sort <<<"$found")"
	is "$what: its exit code" "$wanted" "$code"
}
# directly USER NODE [VARIABLE=VALUE]... -- PROGRAM [ARGUMENT]...: no job, a person who just types. Its number is in $pid.
directly() {
	local as=(as "tess-$1") node=$2 count variables=()
	[ "$1" != root ] || as=(run)
	shift 2
	while [ "$1" != -- ]; do variables+=("$1") && shift; done
	count=$(users "$node")
	"$lab" "${as[@]}" env "${variables[@]}" SLURMD_NODENAME="$node" "${@:2}" >/dev/null 2>&1 &
	in_use "$node" $((count + 1))
	pid=$(find "$TESSERA_LAB/use" -name "$node.*[0-9]" -printf '%T@ %f\n' | sort -n | sed -n '$s/.*\.//p')
	direct+=("$pid")
}
ends_directly() {
	local node=$1 count
	count=$(users "$node")
	kill "$pid"
	in_use "$node" $((count - 1))
}

# Nobody waits here for what is left of a job.
setting StaleWait 0

lists 'nobody' $one 0 ''
is 'and a person reads nothing' '' "$(run tessera guard --conf="$conf" --node=$one 2>&1)"

# A job's processes may.
job=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:2 \
	--wrap "echo \$TESSERA_GRANT >grant.new; mv grant.new grant; use-tiles 4 & srun -Q --export=NONE /usr/bin/env TESSERA_LAB=$TESSERA_LAB $TESSERA_LAB/bin/use-tiles --node $one 1 & wait")
in_use $one 2
grant=$(cat "$(home ann)/grant")
lists 'a job' $one 0 ''
lists 'a job, with all' $one 0 "tess-ann use-tiles $job member
tess-ann use-tiles $job member" --all

# But not without a mask, with which any tile is taken, unless all are the job's.
bare="env -i TESSERA_LAB=$TESSERA_LAB $TESSERA_LAB/bin/use-tiles --mask 0x1 --node"
other=$(bob sbatch --parsable -o /dev/null -w $one --gres=rdu:6 --wrap "$bare $one")
all=$(bob sbatch --parsable -o /dev/null -w $two --gres=rdu:8 --wrap "$bare $two")
in_use $one 3
in_use $two 1
lists 'without a mask' $one 1 "tess-bob use-tiles $other outside"
like 'why' 'outside +SF_RNT_TILE_AFFINITY is not set, and without it any tile is taken; granted were rdu2-7$' \
	"$(run tessera guard --conf="$conf" --node=$one)"
lists 'without a mask, of all' $two 0 "tess-bob use-tiles $all member" --all
fine run scancel "$other" "$all"
in_use $one 2
in_use $two 0

# Nor with a mask of tiles that are not the job's; which is known, whatever is not of others.
other=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu_tile:1 --wrap \
	'SF_RNT_TILE_AFFINITY=0xff0000000000 use-tiles & SF_RNT_TILE_AFFINITY=none use-tiles --mask 0x1 & use-tiles & wait')
in_use $one 5
lists 'a mask of others' $one 1 "tess-ann use-tiles $other outside
tess-ann use-tiles $other outside"
like 'which' "outside +SF_RNT_TILE_AFFINITY=0xff0000000000 names tiles that were not granted: rdu5; granted were 2.0\$" \
	"$(run tessera guard --conf="$conf" --node=$one)"
sed -i "s|^MungeSocket.*|MungeSocket = \"$TESSERA_LAB/run/nobody\"|" "$conf"
directly bob $one SF_RNT_TILE_AFFINITY=0xffff TESSERA_GRANT="$grant" -- use-tiles
lists 'and one that nobody knows of' $one 1 "tess-ann use-tiles $other outside
tess-ann use-tiles $other outside
tess-bob use-tiles - unknown"
sed -i "s|^MungeSocket.*|MungeSocket = \"$socket\"|" "$conf"
ends_directly $one
fine run scancel "$other"
in_use $one 2

# Someone ran python directly.
directly bob $one -- use-tiles --mask 0xff00000000000000
lists 'directly' $one 1 'tess-bob use-tiles - none'
like 'for a person' "^ *$pid tess-bob +use-tiles +$TESSERA_LAB/dev/$one/rdu +- +none +there is no grant" "$(run tessera guard --conf="$conf" --node=$one)"
like 'as JSON' "\"pid\": $pid,.*\"uid\": $(id -u tess-bob),.*\"file\": \"$TESSERA_LAB/dev/$one/rdu\",.*\"job\": null,.*\"verdict\": \"none\"" \
	"$(run tessera guard --conf="$conf" --node=$one --json | tr -d '\n')"
lists 'elsewhere it is not seen' $two 0 ''
ends_directly $one

# With a grant that is not good for it.
directly bob $one SF_RNT_TILE_AFFINITY=0xffff TESSERA_GRANT="$grant" -- use-tiles
lists "Ann's grant" $one 1 'tess-bob use-tiles - foreign'
ends_directly $one
directly bob $one SF_RNT_TILE_AFFINITY=0xffff TESSERA_GRANT="$(inside "$grant" | bob munge --socket="$socket")" -- use-tiles
lists 'a hand-made grant' $one 1 'tess-bob use-tiles - forged'
ends_directly $one
directly ann $one SF_RNT_TILE_AFFINITY=0xff0000 TESSERA_GRANT="$grant" -- use-tiles
lists 'other tiles' $one 1 'tess-ann use-tiles - outside'
ends_directly $one

# With one that is, even if slurmd does not know the process; and when nobody can say.
directly ann $one SF_RNT_TILE_AFFINITY=0xffff TESSERA_GRANT="$grant" -- use-tiles
hers=$pid
lists 'her own' $one 0 ''
like 'her own, with all' 'tess-ann use-tiles - granted' "$(guard $one --all && echo "$found")"
sed -i "s|^MungeSocket.*|MungeSocket = \"$TESSERA_LAB/run/nobody\"|" "$conf"
lists 'no munged' $one 3 'tess-ann use-tiles - unknown'
sed -i "s|^MungeSocket.*|MungeSocket = \"$socket\"|" "$conf"

# A job that has no tiles here is a stranger to them, though slurmd knows it.
thief=$(bob sbatch --parsable -o /dev/null -w $one --wrap 'use-tiles --mask 0x8000000000000000')
in_use $one 4
lists 'a job without tiles' $one 1 "tess-bob use-tiles $thief none"
fine run scancel "$thief"
in_use $one 3

# What a process calls itself is not believed to be harmless.
directly bob $one TESSERA_GRANT=$'MUNGE:\e[2J\n:' -- use-tiles --mask 0x1 --name $'a\e[31mb'
like 'odd names' '^tess-bob a\?\[31mb - forged$' "$(guard $one && echo "$found")"
unlike 'on a terminal' $'\e' "$(run tessera guard --conf="$conf" --node=$one)"
ends_directly $one

# Root's own services are known, and not told of.
directly root $one -- use-tiles --mask 0x1
lists "root's" $one 0 ''
like "root's, with all" 'root use-tiles - service' "$(guard $one --all && echo "$found")"
ends_directly $one

# The job ends, and the grant of the process that is left with it, for which the job's tiles are kept back a while.
fine run scancel "$job"
await 'it has gone' no_jobs
in_use $one 1
lists 'outlived' $one 1 'tess-ann use-tiles - outlived'
pid=$hers
ends_directly $one
fine run tessera reap --conf="$conf" --node=$one >/dev/null
rm -f "$(home ann)/grant"

# IPUs, by the tool that sees who uses them.
job=$(ann sbatch --parsable -o /dev/null -p p64 -w gc-poplar-02 --ipus=4 --wrap 'use-ipus 4')
in_use gc-poplar-02 1
lists 'a job with IPUs' gc-poplar-02 0 ''
directly bob gc-poplar-02 IPUOF_VIPU_API_PARTITION_ID="slurm_$job" -- use-ipus 2
lists 'IPUs directly' gc-poplar-02 1 'tess-bob use-ipus - none'
like 'which' "^ *$pid tess-bob +use-ipus +slurm_$job +- +none" "$(run tessera guard --conf="$conf" --node=gc-poplar-02)"
lists 'both, with all' gc-poplar-02 1 "tess-ann use-ipus $job member
tess-bob use-ipus - none" --all
ends_directly gc-poplar-02

# Whoever has IPUs has not all: Bob's job uses Ann's, and so does he with its grant, which is good for his.
other=$(bob sbatch --parsable -o /dev/null -p p64 -w gc-poplar-02 --ipus=2 \
	--wrap "echo \$TESSERA_GRANT >grant.new; mv grant.new grant; use-ipus 2 & IPUOF_VIPU_API_PARTITION_ID=slurm_$job use-ipus 2 & wait")
in_use gc-poplar-02 3
lists 'IPUs of others' gc-poplar-02 1 "tess-bob use-ipus $other outside"
like 'which' "outside +it uses partition slurm_$job, which was not granted; granted was slurm_$other\$" \
	"$(run tessera guard --conf="$conf" --node=gc-poplar-02)"
grant=$(cat "$(home bob)/grant")
directly bob gc-poplar-02 IPUOF_VIPU_API_PARTITION_ID="slurm_$other" TESSERA_GRANT="$grant" -- use-ipus 1
like 'his own' 'tess-bob use-ipus - granted' "$(guard gc-poplar-02 --all && echo "$found")"
ends_directly gc-poplar-02
directly bob gc-poplar-02 IPUOF_VIPU_API_PARTITION_ID="slurm_$other" TESSERA_GRANT="$grant" -- use-ipus 1 "slurm_$job"
lists 'with a grant' gc-poplar-02 1 "tess-bob use-ipus - outside
tess-bob use-ipus $other outside"
ends_directly gc-poplar-02
rm -f "$(home bob)/grant"
fine run scancel "$job" "$other"
await 'it has gone' no_jobs

# Where no partition is the tool crashes, as it is known to. Whatever else is wrong with it is told.
tool=$TESSERA_LAB/run/tool
# monitor SCRIPT
monitor() {
	printf '#!/bin/sh\n%s\n' "$1" | rewrite "$tool"
	chmod 755 "$tool"
}
setting GcMonitorCommand "\"$tool\""
monitor 'kill -SEGV $$'
lists 'no partition' gc-poplar-02 0 ''
monitor 'echo no more >&2; exit 1'
lists 'it fails' gc-poplar-02 3 ''
like 'how' "^tessera: $tool failed with 1: no more\$" "$(run tessera guard --conf="$conf" --node=gc-poplar-02 2>&1)"
monitor 'echo "[]"'
lists 'another format' gc-poplar-02 3 ''
setting GcMonitorCommand '"/nowhere/gc-monitor"'
lists 'it is not there' gc-poplar-02 3 ''
rm "$tool"

# Only root sees what others have open.
refused ann tessera guard --conf="$conf" --node=$one
like 'not for users' 'only root' "$said"
# What is found by a device that is not there is nothing, and says nothing.
setting DeviceFiles "\"$TESSERA_LAB/dev/%n/nonsuch*\""
lists 'no such device' $one 3 ''
like 'and that is said' "^tessera: DeviceFiles = $TESSERA_LAB/dev/$one/nonsuch\* matches no file on this machine: " \
	"$(run tessera guard --conf="$conf" --node=$one 2>&1)"
setting DeviceFiles "\"$TESSERA_LAB/dev/%n*rdu\""
lists 'a * may stand for a /' $one 0 ''
is 'then nothing is said' '' "$(run tessera guard --conf="$conf" --node=$one 2>&1)"
setting DeviceFiles '""'
lists 'no device is named' $one 3 ''
like 'and that is said' '^tessera: tessera.conf names no DeviceFiles' "$(run tessera guard --conf="$conf" --node=$one 2>&1)"
forget
