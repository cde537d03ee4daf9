#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera guard finds and names processes that use an accelerator without an allocation, such as
# python started by hand. It does not list processes of jobs with an allocation, nor processes with
# a valid grant.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/grants.bash"
. "$(dirname "$0")/samples.bash"
clear_samples
direct=()
trap 'kill "${direct[@]}" 2>/dev/null; restore_conf' EXIT

# guard NODE [OPTION]...: sets $found to the listed processes and $code to the exit code.
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
	is "$what: the listed processes" "$lines" "$(sort <<<"$found")"
	is "$what: the exit code" "$wanted" "$code"
}
# directly USER NODE [VARIABLE=VALUE]... -- PROGRAM [ARGUMENT]...: start PROGRAM outside any job;
# its PID is left in $pid.
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

# Epilogs do not wait for leftover processes in this scenario.
set_conf LeftoverWait 0

lists 'no process uses the device' $one 0 ''
is 'guard prints nothing without findings' '' "$(run tessera guard --conf="$conf" --node=$one 2>&1)"

# Processes of a job that has tiles are not listed.
job=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:2 \
	--wrap "echo \$TESSERA_GRANT >grant.new; mv grant.new grant; use-tiles 4 & srun -Q --export=NONE /usr/bin/env TESSERA_LAB=$TESSERA_LAB $TESSERA_LAB/bin/use-tiles --node $one 1 & wait")
in_use $one 2
grant=$(cat "$(home ann)/grant")
lists 'a job with tiles' $one 0 ''
lists 'a job with tiles, with --all' $one 0 "tess-ann use-tiles $job member
tess-ann use-tiles $job member" --all

# Without a mask a process may take any tile, so it is listed unless the job has all tiles.
bare="env -i TESSERA_LAB=$TESSERA_LAB $TESSERA_LAB/bin/use-tiles --mask 0x1 --node"
other=$(bob sbatch --parsable -o /dev/null -w $one --gres=rdu:6 --wrap "$bare $one")
all=$(bob sbatch --parsable -o /dev/null -w $two --gres=rdu:8 --wrap "$bare $two")
in_use $one 3
in_use $two 1
lists 'a process without a mask' $one 1 "tess-bob use-tiles $other outside"
like 'the reason names the missing mask' 'outside +SF_RNT_TILE_AFFINITY is not set, and without it the runtime uses any tile; granted were rdu2-7$' \
	"$(run tessera guard --conf="$conf" --node=$one)"
lists 'a process without a mask in a job with all tiles' $two 0 "tess-bob use-tiles $all member" --all
fine run scancel "$other" "$all"
in_use $one 2
in_use $two 0

# A mask of tiles that the job does not have is listed.
other=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu_tile:1 --wrap \
	'SF_RNT_TILE_AFFINITY=0xff0000000000 use-tiles & SF_RNT_TILE_AFFINITY=none use-tiles --mask 0x1 & use-tiles & wait')
in_use $one 5
lists 'a mask of tiles of other jobs' $one 1 "tess-ann use-tiles $other outside
tess-ann use-tiles $other outside"
like 'the reason names the tiles outside the allocation' "outside +SF_RNT_TILE_AFFINITY=0xff0000000000 names tiles that were not granted: rdu5; granted were 2.0\$" \
	"$(run tessera guard --conf="$conf" --node=$one)"
sed -i "s|^MungeSocket.*|MungeSocket = \"$TESSERA_LAB/run/nobody\"|" "$conf"
directly bob $one SF_RNT_TILE_AFFINITY=0xffff TESSERA_GRANT="$grant" -- use-tiles
lists 'the same and a grant without munged' $one 1 "tess-ann use-tiles $other outside
tess-ann use-tiles $other outside
tess-bob use-tiles - unknown"
sed -i "s|^MungeSocket.*|MungeSocket = \"$socket\"|" "$conf"
ends_directly $one
fine run scancel "$other"
in_use $one 2

# A process started by hand.
directly bob $one -- use-tiles --mask 0xff00000000000000
lists 'a process started by hand' $one 1 'tess-bob use-tiles - none'
like 'the table names the process' "^ *$pid tess-bob +use-tiles +$TESSERA_LAB/dev/$one/rdu +- +none +there is no grant" "$(run tessera guard --conf="$conf" --node=$one)"
like 'the JSON names the process' "\"pid\": $pid,.*\"uid\": $(id -u tess-bob),.*\"file\": \"$TESSERA_LAB/dev/$one/rdu\",.*\"job\": null,.*\"verdict\": \"none\"" \
	"$(run tessera guard --conf="$conf" --node=$one --json | tr -d '\n')"
lists 'another node' $two 0 ''
ends_directly $one

# A grant that is not valid for the process.
directly bob $one SF_RNT_TILE_AFFINITY=0xffff TESSERA_GRANT="$grant" -- use-tiles
lists "the grant of another user" $one 1 'tess-bob use-tiles - foreign'
ends_directly $one
directly bob $one SF_RNT_TILE_AFFINITY=0xffff TESSERA_GRANT="$(grant_text "$grant" | bob munge --socket="$socket")" -- use-tiles
lists 'a forged grant' $one 1 'tess-bob use-tiles - forged'
ends_directly $one
directly ann $one SF_RNT_TILE_AFFINITY=0xff0000 TESSERA_GRANT="$grant" -- use-tiles
lists 'a grant of other tiles' $one 1 'tess-ann use-tiles - outside'
ends_directly $one

# A valid grant, even if slurmd does not know the process; and slurmctld that cannot be queried.
directly ann $one SF_RNT_TILE_AFFINITY=0xffff TESSERA_GRANT="$grant" -- use-tiles
hers=$pid
lists 'a valid grant' $one 0 ''
like '--all lists the process with its grant' 'tess-ann use-tiles - granted' "$(guard $one --all && echo "$found")"
sed -i "s|^MungeSocket.*|MungeSocket = \"$TESSERA_LAB/run/nobody\"|" "$conf"
lists 'a grant without munged' $one 3 'tess-ann use-tiles - unknown'
sed -i "s|^MungeSocket.*|MungeSocket = \"$socket\"|" "$conf"

# A job without tiles on this node is listed, although slurmd knows it.
thief=$(bob sbatch --parsable -o /dev/null -w $one --wrap 'use-tiles --mask 0x8000000000000000')
in_use $one 4
lists 'a job without tiles' $one 1 "tess-bob use-tiles $thief none"
fine run scancel "$thief"
in_use $one 3

# A process name can contain anything.
directly bob $one TESSERA_GRANT=$'MUNGE:\e[2J\n:' -- use-tiles --mask 0x1 --name $'a\e[31mb'
like 'control characters of a name are replaced' '^tess-bob a\?\[31mb - forged$' "$(guard $one && echo "$found")"
unlike 'no escape sequence reaches the terminal' $'\e' "$(run tessera guard --conf="$conf" --node=$one)"
ends_directly $one

# Services of root are known, and not listed.
directly root $one -- use-tiles --mask 0x1
lists "a service of root" $one 0 ''
like "--all lists the service of root" 'root use-tiles - service' "$(guard $one --all && echo "$found")"
ends_directly $one

# When the job ends, the grant of its leftover process ends too, and the tiles are withheld for a
# while.
fine run scancel "$job"
await 'the job has left the queue' no_jobs
in_use $one 1
lists 'the grant of an ended job' $one 1 'tess-ann use-tiles - outlived'
pid=$hers
ends_directly $one
fine run tessera reap --conf="$conf" --node=$one >/dev/null
rm -f "$(home ann)/grant"

# IPUs, through the tool that shows their users.
job=$(ann sbatch --parsable -o /dev/null -p p64 -w gc-poplar-02 --ipus=4 --wrap 'use-ipus 4')
in_use gc-poplar-02 1
lists 'a job with IPUs' gc-poplar-02 0 ''
directly bob gc-poplar-02 IPUOF_VIPU_API_PARTITION_ID="slurm_$job" -- use-ipus 2
lists 'IPUs used by hand' gc-poplar-02 1 'tess-bob use-ipus - none'
like 'the table names the partition' "^ *$pid tess-bob +use-ipus +slurm_$job +- +none" "$(run tessera guard --conf="$conf" --node=gc-poplar-02)"
lists 'both, with --all' gc-poplar-02 1 "tess-ann use-ipus $job member
tess-bob use-ipus - none" --all
ends_directly gc-poplar-02

# A job with IPUs may not use those of another job: Bob's job uses Ann's partition, and so does Bob
# with the grant of his own job.
other=$(bob sbatch --parsable -o /dev/null -p p64 -w gc-poplar-02 --ipus=2 \
	--wrap "echo \$TESSERA_GRANT >grant.new; mv grant.new grant; use-ipus 2 & IPUOF_VIPU_API_PARTITION_ID=slurm_$job use-ipus 2 & wait")
in_use gc-poplar-02 3
lists 'IPUs of another job' gc-poplar-02 1 "tess-bob use-ipus $other outside"
like 'the reason names both partitions' "outside +uses V-IPU partition slurm_$job, which was not granted \(granted: slurm_$other\)\$" \
	"$(run tessera guard --conf="$conf" --node=gc-poplar-02)"
grant=$(cat "$(home bob)/grant")
directly bob gc-poplar-02 IPUOF_VIPU_API_PARTITION_ID="slurm_$other" TESSERA_GRANT="$grant" -- use-ipus 1
like '--all lists the use of his own partition' 'tess-bob use-ipus - granted' "$(guard gc-poplar-02 --all && echo "$found")"
ends_directly gc-poplar-02
directly bob gc-poplar-02 IPUOF_VIPU_API_PARTITION_ID="slurm_$other" TESSERA_GRANT="$grant" -- use-ipus 1 "slurm_$job"
lists 'IPUs of another job with a grant' gc-poplar-02 1 "tess-bob use-ipus - outside
tess-bob use-ipus $other outside"
ends_directly gc-poplar-02
rm -f "$(home bob)/grant"
fine run scancel "$job" "$other"
await 'the job has left the queue' no_jobs

# Without any partition the tool crashes, which is a known defect of it. Its other failures are
# reported.
tool=$TESSERA_LAB/run/tool
# monitor SCRIPT
monitor() {
	rewrite "$tool" printf '#!/bin/sh\n%s\n' "$1"
	chmod 755 "$tool"
}
set_conf GcMonitorCommand "\"$tool\""
monitor 'kill -SEGV $$'
lists 'no partition' gc-poplar-02 0 ''
monitor 'echo no more >&2; exit 1'
lists 'a tool that fails' gc-poplar-02 3 ''
like 'the failure of the tool is reported' "^tessera: $tool failed with 1: no more\$" "$(run tessera guard --conf="$conf" --node=gc-poplar-02 2>&1)"
monitor 'echo "[]"'
lists 'a tool with another format' gc-poplar-02 3 ''
set_conf GcMonitorCommand '"/nowhere/gc-monitor"'
lists 'a missing tool' gc-poplar-02 3 ''
rm "$tool"

# Only root can see the open files of other users.
refused ann tessera guard --conf="$conf" --node=$one
like 'a user may not run guard' 'must be root' "$said"
# A device pattern without a match finds nothing and is reported.
set_conf DeviceFiles "\"$TESSERA_LAB/dev/%n/nonsuch*\""
lists 'a pattern without a match' $one 3 ''
like 'the pattern without a match is reported' "^tessera: DeviceFiles = $TESSERA_LAB/dev/$one/nonsuch\* matches no file on this machine: " \
	"$(run tessera guard --conf="$conf" --node=$one 2>&1)"
set_conf DeviceFiles "\"$TESSERA_LAB/dev/%n*rdu\""
lists 'a * may stand for a /' $one 0 ''
is 'nothing is reported without findings' '' "$(run tessera guard --conf="$conf" --node=$one 2>&1)"
set_conf DeviceFiles '""'
lists 'empty DeviceFiles' $one 3 ''
like 'empty DeviceFiles are reported' '^tessera: cannot determine which processes use tiles: set DeviceFiles in tessera.conf' "$(run tessera guard --conf="$conf" --node=$one 2>&1)"
clear_samples
