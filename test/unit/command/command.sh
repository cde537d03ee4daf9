#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tessera command as a user calls it: command.sh PROGRAM. What it prints, where, and its exit code.

tessera=${1:?usage: command.sh PROGRAM}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
unset NO_COLOR

# report NAME RESULT
report()
{
	if [ "$2" = 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		sed 's/^/# stdout: /' "$dir/out"
		sed 's/^/# stderr: /' "$dir/err"
		failed=1
	fi
}

# run CODE ARG...: the program exits with CODE
run()
{
	want=$1
	shift
	"$tessera" "$@" >"$dir/out" 2>"$dir/err"
	code=$?
	[ "$code" = "$want" ]
}

# prints TEXT ARG...: exactly TEXT on standard output, nothing on standard error
prints()
{
	text=$1
	shift
	run 0 "$@" && [ "$(cat "$dir/out")" = "$text" ] && [ ! -s "$dir/err" ]
	report "$* prints $text" $?
}

# has TEXT ARG...: it succeeds, and TEXT is somewhere in its output
has()
{
	text=$1
	shift
	run 0 "$@" && grep -qF -e "$text" "$dir/out" && [ ! -s "$dir/err" ]
	report "$* has $text" $?
}

# fails CODE TEXT ARG...: it exits with CODE, and prints only one line "tessera: ..." with TEXT, on standard error
fails()
{
	code=$1
	text=$2
	shift 2
	run "$code" "$@" && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" = 1 ] &&
		grep -q '^tessera: ' "$dir/err" && grep -qF -e "$text" "$dir/err"
	report "$* fails with $text" $?
}

prints 0xff000000 mask --platform sn10-8 rdu6,rdu7
prints 0x0000000f mask --platform=sn10-8 0-3
prints 24-31 mask --platform=sn10-8 --as=tiles 0xff000000
prints 6.0-3,7.0-3 mask --platform=sn10-8 --as dotted 0xff000000
prints /XRDU_3/RDU_1/TILE_3 mask --platform=sn10-8 --as paths 31
prints 0x8000000000000000 mask --platform=sn30-8 /XRDU_3/RDU_1/TILE_7
fails 1 'no RDU 8' mask --platform=sn10-8 rdu8
fails 1 nonsuch mask --platform=nonsuch rdu0
fails 1 'no tiles' mask --platform=pod64 rdu0
fails 2 '--as=x' mask --platform=sn10-8 --as=x rdu0
fails 2 'SET is missing' mask --platform=sn10-8
fails 2 'one SET' mask --platform=sn10-8 rdu0 rdu1
fails 2 "'--nonsuch'" mask --nonsuch
fails 2 "'--as' needs a value" mask --as
fails 2 "'--help=x' takes no value" mask --help=x
fails 2 "'-z'" mask -z
fails 3 "$dir/none" mask --conf="$dir/none" rdu0
has 'Usage: tessera mask' mask --help
has 'Usage: tessera explain' explain --help
has 'explain' --help
fails 2 'not a command' nonsuch

# The platform of the partitions, or an error that lists the platforms.
echo 'partition a { Platform = sn10-8 }' >"$dir/one.conf"
printf '%s\n' 'partition a { Platform = sn10-8 }' 'partition b { Platform = pod64 }' >"$dir/two.conf"
prints 0x0000000f mask --conf="$dir/one.conf" rdu0
fails 2 'sn10-8 sn30-8' mask --conf="$dir/two.conf" rdu0
has '"gres": "rdu:1,rdu_tile:4"' explain --conf="$dir/two.conf" -p a --gres=rdu:1 --json
has '"licenses": "ipu:4"' explain --conf="$dir/two.conf" --partition=b --ipus=4 --json
printf '%s\n' 'partition d { Platform = sn30-8 Unasked = default }' 'partition r { Platform = sn30-8 Unasked = refuse }' >"$dir/unasked.conf"
has '"gres": "rdu_mem:5,rdu:1,rdu_tile:8"' explain --conf="$dir/unasked.conf" -p d --gres=rdu_mem:5 --json
has '"gres": "rdu_tile:4"' explain --conf="$dir/unasked.conf" -p d --gres=rdu_tile:4 --json
has 'nothing' explain --conf="$dir/unasked.conf" -p d --gres=none
fails 1 'jobs in partition r must ask for RDUs: add --gres=rdu:1' explain --conf="$dir/unasked.conf" -p r
fails 1 "$dir/two.conf has no platform for partition c: " explain --conf="$dir/two.conf" -p c --gres=rdu:1
fails 2 'which platform' explain --conf="$dir/two.conf" --gres=rdu:1
has 'nothing' explain --conf="$dir/two.conf" -p c
echo 'Nonsense = 1' >"$dir/bad.conf"
fails 1 "$dir/bad.conf:1" explain --conf="$dir/bad.conf"

# tessera.conf in the directory of the slurm.conf in use.
mkdir "$dir/etc"
echo 'partition only-here { Platform = sn10-8 }' >"$dir/etc/tessera.conf"
export SLURM_CONF="$dir/etc/slurm.conf"
prints 0x0000000f mask rdu0
has '"gres": "rdu:1,rdu_tile:4"' explain -p only-here --gres=rdu:1 --json
fails 1 "$dir/etc/tessera.conf has no platform for partition elsewhere: " explain -p elsewhere --gres=rdu:1
unset SLURM_CONF

# What Slurm is asked for, the tasks, the map.
half() { has "$1" explain --platform sn30-8 --gres=rdu:8 -n 16 --tiles-per-task=4; }
half 'rdu:8,rdu_tile:64'
half '15 7.4-7 0xf000000000000000'
half '14 14 14 14 15 15 15 15'
[ "$(grep -c XRDU_ "$dir/out")" = 4 ]
report 'a row for each XRDU' $?
! grep -q "$(printf '\033')" "$dir/out"
report 'no colours in a file' $?
wish() { has "$1" explain --platform sn10-8 --gres=rdu:2 --tile-affinity=0xff000000; }
wish 'mask      0xff000000'
wish 'XRDU_3  0 0 0 0   0 0 0 0'
wish 'XRDU_0  . . . .   . . . .'
has 'XRDU_0  * * * *   . . . .' explain --platform sn10-8 --gres=rdu:1 -n 2
echo 'partition p { Platform = sn30-8 RduScope = auto TilesPerTask = 4 }' >"$dir/auto.conf"
has 'gres      rdu:8,rdu_tile:64' explain --conf="$dir/auto.conf" -p p --gres=rdu:1 --ntasks 32 --ntasks-per-node 16 --nodes 2
has 'advice    16 tasks on a node need 4 tiles each, 64 in all, but 8 are' explain --conf="$dir/auto.conf" -p p --gres=rdu_tile:8 -n 16
has '  1 rdu1' explain --conf="$dir/auto.conf" -p p --gres=rdu:1 -n 2
has '  1 rdu0,rdu1' explain --conf="$dir/auto.conf" -p p --gres=rdu:1 -n 2 --tile-bind=none
has '  2 rdu0' explain --conf="$dir/auto.conf" -p p --gres=rdu_tile:8 -n 3
has 'XRDU_0  0 0 - -   . . . .' explain --platform sn10-8 --gres=rdu:1 -n 1 --tiles-per-task=2
has 'licenses  ipu:4' explain --platform pod64 --ipus=4
has 'licenses  ipu:8' explain --platform pod64 --gres=ipu:8
gcds() { has "$1" explain --platform pod64 --ipus=8 -n 10 --ipu-gcds="$2"; }
gcds 'gcds      4' 4
gcds '  2 5-7' 4
gcds '  0 0-9' 1
has '  3 3' explain --platform pod64 --ipus=4 -N 2 --ntasks-per-node=2 --ipu-gcds=4
has '  0 0' explain --platform pod64 --ipus=8
has '  1 1' explain --platform pod128 --ipus=128 -n 2
has '"task": 9, "gcd": 3}' explain --platform pod64 --ipus=8 -n 10 --ipu-gcds=4 --json
has '"gcds": 1,' explain --platform pod64 --ipus=8 --json
fails 1 '--ipu-gcds=4 needs at least one task' explain --platform pod64 --ipus=8 -n 2 --ipu-gcds=4
fails 1 'span 2 IPU-Link domains' explain --platform pod128 --ipus=128
fails 1 'add --ipus=N' explain --platform pod64 --ipu-gcds=4

# Pools need no platform.
{ cat "$dir/two.conf" && echo 'pool csx { Max = 2 }' && echo 'pool big { Option = large License = lic Max = 8 }'; } >"$dir/pools.conf"
pool() { has "$1" explain --conf="$dir/pools.conf" --pool=big=3 --pool csx=2 --licenses=a; }
pool 'licenses  a,csx:2,lic:3'
pool "big       3 of the pool's 8"
has '"pools": {"csx": 1, "big": 0}' explain --conf="$dir/pools.conf" --licenses=csx:1 --json
has '"gres": "rdu:1,rdu_tile:4"' explain --conf="$dir/pools.conf" -p a --gres=rdu:1 --pool=csx=1 --json
fails 1 '--csx=3 exceeds the 2 in the pool' explain --conf="$dir/pools.conf" --pool=csx=3
fails 1 '--large=0 asks for none' explain --conf="$dir/pools.conf" --pool=big=0
fails 1 '--csx= has no number' explain --conf="$dir/pools.conf" --pool=csx
fails 1 "no pool 'large'" explain --conf="$dir/pools.conf" --pool=large=1
fails 2 'more than 16 times' explain --conf="$dir/pools.conf" $(seq -f '--pool=csx=%g' 17)

has '1023 rdu0' explain --platform sn30-8 --gres=rdu:1 -n 1024
fails 1 'rdu:1 is 8 tiles on sn30-8, rdu_tile:4 says 4' explain --platform sn30-8 --gres=rdu:1,rdu_tile:4
fails 1 'needs tiles to divide' explain --platform sn30-8 --tile-bind=block
fails 2 '--ntasks=x' explain --platform sn30-8 -n x
fails 2 '--nodes=0' explain --platform sn30-8 -N 0
fails 2 "'rdu:1'" explain --platform sn30-8 rdu:1

# The node's own files can be read without Slurm.
export SLURM_CONF="$dir/no-slurm.conf"
mkdir "$dir/state"
{
	echo "StateDir = \"$dir/state\""
	echo 'node n1 { Platform = sn10-8 }'
	echo 'node p1 { Platform = pod64 }'
} >"$dir/node.conf"
chmod 755 "$dir" "$dir/state"
on() { command=$1 && node=$2 && shift 2 && has "$1" "$command" --conf="$dir/node.conf" --node="$node" ${2:+"$2"} ${3:+"$3"}; }
on status n1 '0 of 32 tiles held, 32 free'
on status p1 "0 of the pool's 64 IPUs"
printf '%s\n' 'tessera-ledger 1 sn10-8' 'job 4711 uid 4000000000 state held restarts 0 tiles 0-3 text -' \
	'job 4712 uid 0 state short restarts 1 tiles - text no room' 'end 2' >"$dir/state/ledger"
on status n1 'XRDU_0  a a a a   . . . .'
on status n1 'no room'
on status n1 '4711 4000000000 0x0000000f' --raw --columns=job,user,mask
on status n1 '"state": "short"' --json
on metrics n1 'tessera_tiles_held{node="n1"} 4'
on metrics n1 'tessera_failures{node="n1",cause="short"} 1'
"$tessera" metrics --conf="$dir/node.conf" --node=n1 | "$(dirname "$0")/prometheus" >/dev/null 2>"$dir/err"
report 'Prometheus reads it' $?

# Only the first host with a platform exports the numbers of a pool, so that a sum over the hosts counts it once.
printf '%s\n' "StateDir = \"$dir/state\"" 'node "q[3-4]" { Platform = pod16 }' 'node "p[2-4]" { Platform = pod64 }' \
	'vipu "p[1-3]" { Host = 127.0.0.1 }' >"$dir/hosts.conf"
pools=
for node in p2 p3 p4 q3 q4; do
	case $node in p[23]) code=3 ;; *) code=0 ;; esac # nothing answers as the controller of p[1-3]
	run $code metrics --conf="$dir/hosts.conf" --node=$node && pools="$pools $node=$(sed -n 's/^tessera_ipus{.*} //p' "$dir/out")"
done
[ "$pools" = ' p2=64 p3= p4= q3=16 q4=' ]
report "one host exports the numbers of a pool:$pools" $?

# --node with an unknown node is an error; without --node, a node without a platform is not.
nope() { fails 1 "$dir/node.conf has no platform for node nope: check the name, or write node \"nope\" { Platform = P } there" "$@"; }
for command in status metrics health topology mark doctor; do nope "$command" --conf="$dir/node.conf" --node=nope; done
SLURMD_NODENAME=nope run 0 metrics --conf="$dir/node.conf" && [ ! -s "$dir/err" ]
report 'a machine without accelerators has metrics' $?
SLURMD_NODENAME=nope run 0 health --conf="$dir/node.conf" && [ ! -s "$dir/out" ]
report 'a machine without accelerators has no health results' $?
# A job can hold units of a pool on any node, and its record stays when the line of the node is removed.
{ cat "$dir/node.conf" && echo 'pool csx { Max = 2 }'; } >"$dir/left.conf"
sed -i "s|^StateDir.*|StateDir = \"$dir/left/%n\"|" "$dir/left.conf"
mkdir -p "$dir/left/old" && chmod 755 "$dir/left" "$dir/left/old"
fails 1 'left.conf has no platform for node old' status --conf="$dir/left.conf" --node=old
printf '%s\n' 'tessera-job 1' 'job 4711 uid 4000000000 restarts 0' 'state ready' 'ipus 0 gcds 0 owner 0 limit 0' 'partition -' \
	'controller - port 0 timeout 0' 'pool csx 1' 'text -' end >"$dir/left/old/job.4711"
has '4711' status --conf="$dir/left.conf" --node=old

# Only a regular file is replaced.
file() { fails "$1" "$2" metrics --conf="$dir/node.conf" --node=n1 --output="$3"; }
echo old >"$dir/n1.prom"
ln -s n1.prom "$dir/link.prom"
mkfifo "$dir/pipe.prom"
mkdir "$dir/dir.prom"
file 1 "$dir/link.prom is a symbolic link" "$dir/link.prom"
file 1 "$dir/pipe.prom is a special file" "$dir/pipe.prom"
file 1 "$dir/dir.prom is a directory" "$dir/dir.prom"
file 2 '--output= needs the name of a file' ''
[ -L "$dir/link.prom" ] && [ -p "$dir/pipe.prom" ] && [ -d "$dir/dir.prom" ] && [ "$(cat "$dir/n1.prom")" = old ]
report 'only a regular file is replaced' $?
prints '' metrics --conf="$dir/node.conf" --node=n1 --output="$dir/n1.prom"
grep -q '^tessera_up{node="n1"} 1' "$dir/n1.prom"
report 'a file is replaced' $?

fails 2 "unknown column 'x'" status --conf="$dir/node.conf" --node=n1 --json -o x
for command in status health mark topology doctor pool guard verify; do
	fails 2 'only one of --json and --raw' "$command" --json --raw
	fails 2 'only one of --json and --raw' "$command" --raw --json
done
has '"node": "n1"' status --conf="$dir/node.conf" --node=n1 --json --json
for number in 0 x 12_3 -1 '' 4294967294 99999999999999999999; do fails 2 "--job=$number is not the number of a job" status --job="$number"; done
fails 2 '--all and --job cannot be combined' status --all --job=1
fails 2 '--watch=0' status --watch=0
fails 2 '--watch=x' status --watch=x
fails 2 "'x'" status x
fails 2 "'x'" pool x
fails 2 "'x'" doctor x
fails 2 "'x'" metrics x
fails 2 "'x'" conf x
fails 2 "'x'" topology x
fails 3 "$dir/none" status --conf="$dir/none" --node=n1
echo nonsense >"$dir/state/ledger"
fails 1 "$dir/state/ledger" status --conf="$dir/node.conf" --node=n1
chmod 777 "$dir/state"
fails 4 "$dir/state" status --conf="$dir/node.conf" --node=n1
fails 3 'no-slurm.conf' doctor --conf="$dir/node.conf"
unset SLURM_CONF

# A missing grant and a missing process are found without Slurm.
unset TESSERA_GRANT
fails 10 'there is no grant' verify
export TESSERA_GRANT=''
fails 10 'there is no grant' verify --conf="$dir/none"
unset TESSERA_GRANT
run 10 verify --json && grep -qF '"verdict": "none"' "$dir/out" && grep -qF '"job": null' "$dir/out" && [ ! -s "$dir/err" ]
report 'as JSON' $?
env -i sleep 60 &
process=$!
fails 10 'there is no grant' verify --pid=$process
kill $process
wait $process 2>/dev/null
fails 1 "no process $process" verify --pid=$process
fails 2 '--pid=0' verify --pid=0
fails 2 '--pid=x' verify --pid=x
fails 2 '--pid=99999999999' verify --pid=99999999999
fails 2 "'x'" verify x
fails 2 "'x'" guard x
fails 2 "unknown column 'x'" verify --json -o x

# Colours only on a terminal that has them; red only for bad and withheld tiles.
if command -v script >/dev/null; then
	escape=$(printf '\033')
	# terminal TERM ARG...: what the program prints on a terminal of kind TERM with 80 columns
	terminal()
	{
		term=$1
		shift
		TERM=$term script -qec "stty cols 80; $tessera $*" /dev/null </dev/null >"$dir/out" 2>"$dir/err"
	}
	mkdir -m 755 "$dir/red"
	printf '%s\n' "StateDir = \"$dir/red\"" "MarksDir = \"$dir/red\"" 'node n1 { Platform = sn10-8 }' >"$dir/red.conf"
	{
		echo 'tessera-ledger 1 sn10-8'
		for n in 0 1 2 3 4 5 6 7; do echo "job 471$n uid 0 state held restarts 0 tiles $((4 * n))-$((4 * n + 2)) text -"; done
		echo 'end 8'
	} >"$dir/red/ledger"
	run 0 mark --conf="$dir/red.conf" --node=n1 7.3 bad
	terminal xterm status --conf="$dir/red.conf" --node=n1 && grep -qF "${escape}[1;31mX" "$dir/out"
	report 'a bad tile is red' $?
	! grep -qE "${escape}\[(1;)?31m[a-z]( |$escape)" "$dir/out" && grep -qF "${escape}[1;3" "$dir/out"
	report 'the letter of a job is not red' $?
	# Long texts are wrapped between words; in a pipe each row is one line.
	long='hung since Tuesday, and the vendor was told about it twice, once by mail and once by telephone'
	run 0 mark --conf="$dir/red.conf" --node=n1 7.3 bad "$long"
	for command in status mark 'health --cached'; do
		terminal dumb "$command --conf=$dir/red.conf --node=n1" && tr -d '\r' <"$dir/out" >"$dir/text" &&
			[ "$(awk 'length > 80' "$dir/text" | wc -l)" = 0 ] && [ "$(tr -s ' \n' '  ' <"$dir/text" | grep -c 'once by telephone')" = 1 ]
		report "$command fits 80 columns" $?
		# shellcheck disable=SC2086
		run 0 $command --conf="$dir/red.conf" --node=n1 && grep -qF "$long" "$dir/out"
		report "$command, in a pipe" $?
	done
	for kind in dumb ''; do
		terminal "$kind" status --conf="$dir/red.conf" --node=n1 && grep -q 'XRDU_0  a a a \.' "$dir/out" && ! grep -qF "$escape" "$dir/out"
		report "TERM=$kind has no escape sequences" $?
		terminal "$kind" 'explain --platform=sn10-8 --gres=rdu:1' && grep -q 'XRDU_0  0 0 0 0' "$dir/out" && ! grep -qF "$escape" "$dir/out"
		report "TERM=$kind, nor has explain" $?
	done
	NO_COLOR=1 terminal xterm status --conf="$dir/red.conf" --node=n1 && grep -q 'XRDU_0  a a a \.' "$dir/out" && ! grep -qF "$escape" "$dir/out"
	report 'NO_COLOR disables colours' $?
	# One map below the other if the screen cannot be cleared.
	: >"$dir/out"
	TERM=dumb script -qfec "$tessera status --watch=1 --conf=$dir/red.conf --node=n1" /dev/null </dev/null >"$dir/out" 2>"$dir/err" &
	watching=$!
	tries=0
	until [ "$(grep -c XRDU_0 "$dir/out")" -ge 2 ] || [ $((tries += 1)) -gt 600 ]; do sleep 0.05; done
	kill $watching
	wait $watching 2>/dev/null
	[ "$(grep -c XRDU_0 "$dir/out")" -ge 2 ] && ! grep -qF "$escape" "$dir/out"
	report '--watch on TERM=dumb' $?
fi

# The lines for the files of a machine.
has 'Gres=rdu:8,rdu_tile:64' conf --platform=sn30-8 --nodes='sn30-r1-h[1-2]'
has 'NodeName=sn30-r1-h[1-2] Name=rdu_tile Count=64' conf --platform=sn30-8 --nodes='sn30-r1-h[1-2]' --for=gres.conf
has 'partition sambanova { Platform = sn30-8 Unasked = default }' conf --platform=sn30-8 --nodes=a -p sambanova --for=tessera.conf
has 'partition p64 { Platform = pod64 }' conf --platform=pod64 --nodes=a -p p64 --for=tessera.conf
has 'vipu "a" { Host = 10.0.0.1 }' conf --platform=pod64 --nodes=a --vipu=10.0.0.1
has 'Licenses=ipu:64' conf --platform=pod64 --nodes=a
echo 'IpuModel = gres' >"$dir/gres-model.conf"
has 'Name=ipu Count=16' conf --platform=pod64 --nodes='a[1-4]' --conf="$dir/gres-model.conf"
fails 2 '--for=x' conf --platform=pod64 --nodes=a --for=x
fails 1 'a[' conf --platform=pod64 --nodes='a['
fails 1 'nonsuch' conf --platform=nonsuch

# Bad tiles, from a mark and from a tool.
mkdir "$dir/run" "$dir/marks"
node="$dir/health.conf"
printf '%s\n' "StateDir = \"$dir/run/%n\"" "MarksDir = \"$dir/marks/%n\"" 'SnfadmCommand = "/bin/false"' \
	'node n1 { Platform = sn30-8 }' 'node i1 { Platform = pod64 }' >"$node"
prints '' mark --conf="$node" --node=n1 3.5 bad
prints '' mark --conf="$node" --node=n1 rdu1 bad hung since Tuesday
prints '' mark --conf="$node" --node=n1 1.1-7 good
run 0 mark --conf="$node" --node=n1 --raw -o tile,state,text &&
	[ "$(paste -sd '|' "$dir/out")" = 'TILE STATE TEXT|1.0 bad hung\x20since\x20Tuesday|3.5 bad -' ]
report 'the list of marks' $?
run 0 health --cached --conf="$node" --node=n1 --raw -o tiles,bad,state &&
	[ "$(paste -sd '|' "$dir/out")" = 'TILES BAD STATE|1.0 1 marked|3.5 1 marked' ]
report 'health lists the marks' $?
has 'DataScale SN30-8: 2 of 64 tiles bad, 62 unknown and allocated anyway' health --cached --conf="$node" --node=n1
has '"state": "bad"' status --conf="$node" --node=n1 --json
# Unknown tiles: held ones are shown with their job, and only free ones as not allocated.
mkdir -m 755 "$dir/avoid"
printf '%s\n' "StateDir = \"$dir/avoid\"" "MarksDir = \"$dir/avoid\"" 'UnknownTiles = avoid' 'node n1 { Platform = sn10-8 }' >"$dir/avoid.conf"
avoid() { has "$1" status --conf="$dir/avoid.conf" --node=n1; }
avoid ': 0 of 32 tiles held, 0 free, 32 unknown'
printf '%s\n' 'tessera-ledger 1 sn10-8' 'job 4711 uid 4000000000 state held restarts 0 tiles 0-7 text -' \
	'job 4712 uid 4000000000 state withheld restarts 0 tiles 8-15 text still there' 'end 2' >"$dir/avoid/ledger"
avoid ': 8 of 32 tiles held, 8 withheld, 0 free, 16 unknown'
avoid 'XRDU_0  a a a a   a a a a'
avoid 'XRDU_1  ! ! ! !   ! ! ! !'
avoid 'XRDU_2  ? ? ? ?   ? ? ? ?'
has 'unknown rdu4-7' status --conf="$dir/avoid.conf" --node=n1 --raw -o state,tiles
run 0 mark --conf="$dir/avoid.conf" --node=n1 0.1,7.3 bad
avoid ': 8 of 32 tiles held, 8 withheld, 0 free, 2 bad, 15 unknown'
avoid 'XRDU_0  a X a a   a a a a'
fails 2 '--dry-run was removed: tessera doctor shows counts that differ' health --update --dry-run
fails 2 '--dry-run was removed' health -n
fails 2 '--no-drain was removed: --update drains a node while jobs hold its tiles' health --update --no-drain
fails 2 '--no-resume was removed: to keep a node drained, give it a Reason of your own' health --update --no-resume
fails 2 '--update shows no table' health --update --json
fails 1 'node i1 has no tiles' mark --conf="$node" --node=i1 0 bad
fails 1 'there is no RDU 8: sn30-8 has 8 RDUs' mark --conf="$node" --node=n1 8.0 bad
fails 2 'is 3.5 bad or good?' mark 3.5
fails 2 'is 3.5 bad or good?' mark 3.5 worse
fails 2 'a good tile has no text' mark 3.5 good why
fails 2 "unknown column 'x'" mark --conf="$node" --node=n1 -o x
run 0 mark --conf="$node" --node=n1 0-63 good && [ "$(sed 1d "$dir/marks/n1/marks")" = 'end 0' ]
report 'no mark is left' $?
if [ "$(id -u)" = 0 ]; then
	run 3 health --conf="$node" --node=n1 && grep -q '^tessera: snfadm: /bin/false failed with 1$' "$dir/err" &&
		grep -q '^source snfadm time 0 known - bad - text /bin/false failed with 1$' "$dir/run/n1/health"
	report 'the failure of a tool is reported and stored' $?
fi

# NUMA locality, of machines that options describe instead of this one.
echo 'platform sn30-8 { Numa = "0,1" }' >"$dir/numa.conf"
two='pack:2 numa:1 core:4 pu:2'
near() { has "$1" topology --platform=sn30-8 --conf="$dir/numa.conf" --synthetic="$two" ${2:+"$2"} ${3:+"$3"}; }
near '0 0-3   0-7  rdu0-3'
near '1 4-7   8-15 rdu4-7'
near '"rdus": "rdu4-7"' --json
near '20,20,20,20,10,10,10,10' --raw --columns=distances
fails 2 "unknown column 'x'" topology --platform=sn30-8 --conf="$dir/numa.conf" --synthetic="$two" -o x
fails 2 '--xml and --synthetic cannot be combined' topology --platform=sn30-8 --xml=/x --synthetic="$two"
fails 2 '--write is for this node' topology --platform=sn30-8 --write
# hwloc prints no errors of its own, unless the user sets HWLOC_HIDE_ERRORS.
echo '<topology' >"$dir/damaged.xml"
for file in /nonexistent "$dir" "$dir/damaged.xml"; do fails 1 "hwloc cannot read $file" topology --platform=sn30-8 --xml="$file"; done
fails 1 'synthetic topology nonsense' topology --platform=sn30-8 --synthetic=nonsense
fails 1 'no RDUs' topology --platform=pod64
fails 1 'nonsuch' topology --platform=nonsuch
run 0 topology --platform=sn30-8 --synthetic="$two" && grep -q '1 4-7   8-15 -$' "$dir/out" && grep -q 'set Numa or PciId' "$dir/err"
report 'an unknown locality is not an error' $?
run 1 topology --platform=sn30-8 --conf="$dir/numa.conf" --synthetic='core:4 pu:1' && grep -q 'no NUMA node 1' "$dir/err"
report 'an impossible locality is an error' $?
if [ "$(id -u)" = 0 ]; then
	rm -rf "$dir/state" && mkdir "$dir/state" && cat "$dir/numa.conf" >>"$dir/node.conf" && echo 'node n3 { Platform = sn30-8 }' >>"$dir/node.conf"
	write() { run "$1" topology --write --node=n3 --conf="$dir/node.conf" --synthetic="$2"; }
	write 0 "$two" && [ ! -s "$dir/out" ] && [ ! -s "$dir/err" ] && grep -qx 'rdu 4-7 distances 20,10' "$dir/state/locality" &&
		grep -qx "boot $(cat /proc/sys/kernel/random/boot_id)" "$dir/state/locality"
	report 'a table is written' $?
	write 1 'core:4 pu:1' && ! grep -q '^rdu' "$dir/state/locality" && grep -qx 'end 1' "$dir/state/locality"
	report 'the table is removed when the locality is no longer known' $?
	run 0 topology --write --node=p1 --conf="$dir/node.conf" && grep -q 'no tiles' "$dir/err"
	report 'a host with IPUs has no table' $?
fi
cores() { text=$1 && shift && HWLOC_SYNTHETIC="$two" has "$text" conf --platform=sn30-8 --nodes=a "$@"; }
cores '# NUMA-local to cores 4-7: rdu4-7' --conf="$dir/numa.conf"
cores 'NodeName=a Name=rdu Count=8' --conf="$dir/numa.conf"
cores '#platform sn30-8 { Numa = "0,1" }'
HWLOC_XMLFILE=/nonexistent has 'NodeName=a Name=rdu Count=8' conf --platform=sn30-8 --nodes=a --conf="$dir/numa.conf"
fails 2 '--cores was removed: jobs get NUMA-local RDUs without it, and tessera topology shows the locality' \
	conf --platform=sn30-8 --nodes=a --cores=/x
fails 2 '--cores was removed' conf --platform=sn30-8 --nodes=a --cores /x

# Another program can read the JSON.
has '"task": 1, "tiles": "0.2-3", "mask": "0x0000000c"' \
	explain --platform sn10-8 -n 2 --tiles-per-task=2 --json
if command -v python3 >/dev/null; then
	run 0 explain --platform sn10-8 --json --gres='a"b\c:1,rdu:1' --licenses="$(printf 'x\ty')" &&
		python3 - "$dir/out" <<'PYTHON' 2>>"$dir/err"
import json, sys
d = json.load(open(sys.argv[1]))
assert list(d) == ["platform", "gres", "licenses", "ipus", "gcds", "pools", "tiles", "mask", "advice", "tasks"], d
assert d["gres"] == 'a"b\\c:1,rdu:1,rdu_tile:4' and d["licenses"] == "x\ty", d
assert d["tasks"] == [{"task": 0, "tiles": "rdu0", "mask": "0x0000000f"}], d
PYTHON
	report 'another program can read the JSON' $?
fi
# The tiles of a rank, from the variables of hydra and Open MPI, and from those of srun if an option is given. An SN10 RDU has four tiles.
for variable in $(env | sed -n 's/^\(\(SLURM\|MPI_\|OMPI_\|MV2_\|PMI_\|TESSERA\)[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
# hydra RANK COUNT MASK CMD...
hydra()
{
	export MPI_LOCALRANKID="$1" MPI_LOCALNRANKS="$2" PMI_RANK="$1" PMI_SIZE="$2" SF_RNT_TILE_AFFINITY="$3"
	shift 3
	"$@"
	unset MPI_LOCALRANKID MPI_LOCALNRANKS PMI_RANK PMI_SIZE SF_RNT_TILE_AFFINITY
}
# srun RANK COUNT NODE TASKS MASK CMD...
srun()
{
	export SLURM_LOCALID="$1" SLURM_PROCID="$1" SLURM_STEP_NUM_TASKS="$2" SLURM_NODEID="$3" \
		SLURM_STEP_TASKS_PER_NODE="$4" SF_RNT_TILE_AFFINITY="$5"
	shift 5
	"$@"
	unset SLURM_LOCALID SLURM_PROCID SLURM_STEP_NUM_TASKS SLURM_NODEID SLURM_STEP_TASKS_PER_NODE SF_RNT_TILE_AFFINITY
}
# shares MASK ARG...: the command has MASK in its environment, and the same copy of it.
# shellcheck disable=SC2317
shares()
{
	text=$1
	shift
	prints "$text $text" task --platform=sn10-8 "$@" -- sh -c 'echo $SF_RNT_TILE_AFFINITY $TESSERA_MASK'
}
hydra 0 2 0x0000ff00 shares 0x00000f00
hydra 1 2 0x0000ff00 shares 0x0000f000
hydra 3 4 0x000000ff shares 0x000000c0
hydra 0 1 0x0000ff00 shares 0x0000ff00
hydra 1 2 0x0000ff00 shares 0x00000c00 --tiles-per-task=2
hydra 1 2 0x0000ff00 shares 0x00003000 --tiles-per-task=2 --tile-bind=cyclic
hydra 1 2 0x0000ff00 shares 0x0000ff00 --tile-bind=none
hydra 1 2 0x0000ff00 shares 0x0000c000 --tile-bind=map:0x300,0xc000
hydra 0 2 0x0000ff00 prints 0x00000f00 task --conf="$dir/one.conf" printenv SF_RNT_TILE_AFFINITY
# The options of the job are in its environment; those of the command line replace them.
job=SLURM_SPANK__SLURM_SPANK_OPTION_tessera_
export ${job}tiles_per_task=1
hydra 1 2 0x0000ff00 shares 0x00000200
hydra 1 2 0x0000ff00 shares 0x0000ff00 --tile-bind=none
unset ${job}tiles_per_task
export ${job}tile_bind=none
hydra 1 2 0x0000ff00 shares 0x0000ff00
hydra 1 2 0x0000ff00 shares 0x0000f000 --tile-bind=block
unset ${job}tile_bind
# The variables of Open MPI take precedence over those of srun, which are also set.
export OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_SIZE=8
srun 0 1 0 1 0x0000ff00 shares 0x0000f000
unset OMPI_COMM_WORLD_LOCAL_RANK OMPI_COMM_WORLD_LOCAL_SIZE OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE
# srun has already divided the tiles; its nodes have different numbers of tasks.
srun 1 7 1 '2(x3),1' 0x0000ff00 prints 0x0000ff00 task --platform=sn10-8 printenv SF_RNT_TILE_AFFINITY
srun 1 7 2 '2(x3),1' 0x0000ff00 shares 0x0000f000 --tile-bind=block
srun 0 7 3 '2(x3),1' 0x0000ff00 shares 0x0000ff00 --tile-bind=block
srun 0 7 4 '2(x3),1' 0x0000ff00 fails 1 'srun says that this is rank 0 of 0' task --platform=sn10-8 --tile-bind=block true
# IPUs: consecutive global ranks share a GCD; the environment of a partition that the user set is not changed.
export MPI_LOCALRANKID=0 MPI_LOCALNRANKS=2 PMI_RANK=6 PMI_SIZE=8 IPUOF_VIPU_API_PARTITION_ID=slurm_1 TESSERA_PARTITION=slurm_1
TESSERA_PARTITION_GCDS=4 prints 3 task printenv IPUOF_VIPU_API_GCD_ID
TESSERA_PARTITION_GCDS=1 prints 0 task printenv IPUOF_VIPU_API_GCD_ID
TESSERA_PARTITION_GCDS=4 IPUOF_VIPU_API_PARTITION_ID=mine prints '<>' task sh -c 'echo "<$IPUOF_VIPU_API_GCD_ID>"'
unset MPI_LOCALRANKID MPI_LOCALNRANKS PMI_RANK PMI_SIZE IPUOF_VIPU_API_PARTITION_ID TESSERA_PARTITION
# Nothing to divide, and errors. Options after the command belong to it.
prints '<>' task --platform=nonsuch sh -c 'echo "<$SF_RNT_TILE_AFFINITY>"'
prints -h task echo -h
prints --json task -- echo --json
SF_RNT_TILE_AFFINITY=0xff fails 1 'type mpirun or srun before' task --platform=sn10-8 true
hydra 0 3 0x0000ff00 fails 1 'SF_RNT_TILE_AFFINITY=0x0000ff00: 8 tiles cannot be divided evenly among 3 tasks' task --platform=sn10-8 true
hydra 0 4 0x0000ff00 fails 1 '4 tiles for each of 4 tasks make 16, but there are 8' task --platform=sn10-8 --tiles-per-task=4 true
hydra 0 2 0x0000ff00 fails 1 'names tile 0.0, which is not among' task --platform=sn10-8 --tile-bind=map:0x1 true
hydra 0 2 banana fails 1 'SF_RNT_TILE_AFFINITY=banana' task --platform=sn10-8 true
hydra 2 2 0x0000ff00 fails 1 'hydra says that this is rank 2 of 2' task --platform=sn10-8 true
hydra x 2 0x0000ff00 fails 1 'MPI_LOCALRANKID=x is not a number' task --platform=sn10-8 true
hydra 0 2 0x0000ff00 fails 2 'sn10-8 sn30-8' task --conf="$dir/two.conf" true
MPI_LOCALRANKID=0 SF_RNT_TILE_AFFINITY=0xff fails 1 'MPI_LOCALNRANKS is not set' task --platform=sn10-8 true
fails 127 'nonsuch-command cannot be run: No such file' task nonsuch-command
fails 126 "$dir cannot be run: Permission denied" task "$dir"
fails 2 'which command' task --
run 7 task sh -c 'exit 7'
report 'the exit code is that of the command' $?

if [ -w /dev/full ]; then
	"$tessera" mask --platform=sn10-8 rdu0 >/dev/full 2>"$dir/err"
	[ $? = 3 ]
	report 'a full disk is noticed' $?
fi
exit $failed
