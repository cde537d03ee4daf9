#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera metrics is what Prometheus reads, with the node's numbers; what is not known is not there.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

state=$TESSERA_LAB/state
trap 'rm -f "$state"/*/used.*' EXIT
rm -f "$state"/*/used.*
metrics() { run tessera metrics "$@" | "$top/test/unit/prometheus"; }
# value NODE NAME [LABEL]: a number of the node.
value() { metrics --node="$1" | sed -n "s/^tessera_$2{${3:+$3,}node=\"$1\"} //p;s/^tessera_$2{node=\"$1\"${3:+,$3}} //p" | head -n 1; }

is 'nothing is held' 0 "$(value sn30-r1-h1 tiles_held)"
half=$(ann sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu_tile:4 --wrap 'sleep 600')
both=$(ann sbatch --parsable -o /dev/null -N2 -p p64 -w gc-poplar-02,gc-poplar-03 --ipus=8 --wrap 'sleep 600')
reaches "$half" RUNNING
reaches "$both" RUNNING
await 'the tiles are written down' eval '[ -n "$(rows sn30-r1-h1)" ]'
await 'the IPUs are' eval 'grep -q "state ready" '"$state/gc-poplar-02/job.$both $state/gc-poplar-03/job.$both"

fine metrics --node=sn30-r1-h1 >/dev/null
is 'tiles' '64 4' "$(value sn30-r1-h1 tiles) $(value sn30-r1-h1 tiles_held)"
is 'a reservation' 1 "$(value sn30-r1-h1 reservations 'state="held"')"
is 'it is up' 1 "$(value sn30-r1-h1 up)"
is 'no sample, no number' '' "$(value sn30-r1-h1 outside_tile_seconds)"
is 'no controller' '' "$(value sn30-r1-h1 vipu_up)"
is 'IPUs, on the first node' '64 8' "$(value gc-poplar-02 ipus) $(value gc-poplar-02 ipus_held)"
is 'and on no other' 0 "$(value gc-poplar-03 ipus_held)"
is 'though it is written down there' 1 "$(value gc-poplar-03 reservations 'state="ready"')"
is 'partitions' '1 1 0' "$(value gc-poplar-02 vipu_up) $(value gc-poplar-02 partitions 'state="active"') $(value gc-poplar-02 partitions 'state="error"')"

# A pool is there once, however many hosts it has: sum() over them is right. Each says whether it reaches the controller.
sum() { for host in gc-poplar-02 gc-poplar-03 gc-poplar-04; do value $host "$@"; done | awk '{ sum += $1 } END { print sum }'; }
is 'IPUs of the pool' '64 8' "$(sum ipus) $(sum ipus_held)"
is 'its partitions' '1 0' "$(sum partitions 'state="active"') $(sum partitions 'state="error"')"
is 'its controller' 3 "$(sum vipu_up)"

# What samples saw, and what failed.
printf 'tessera-used 1\njob 0 restarts 0 samples 2 first 1700000000 last 1700000060\nseen 60 tiles 0 ipus - outside 30 ended 0\nend\n' >"$state/sn30-r1-h1/used.0"
is 'outside' 30 "$(value sn30-r1-h1 outside_tile_seconds)"
rm -f "$state/sn30-r1-h1/used.0"
sed "s/job $both/job 999999/; s/state ready/state failed/" "$state/gc-poplar-02/job.$both" >"$state/gc-poplar-02/job.999999"
is 'a failure' 1 "$(value gc-poplar-02 failures 'cause="failed"')"
is 'what failed holds nothing' 8 "$(value gc-poplar-02 ipus_held)"
sed -i 's/state failed/state refused/' "$state/gc-poplar-02/job.999999"
is 'nor what was refused' 8 "$(value gc-poplar-02 ipus_held)"
sed -i 's/state refused/state leaving/' "$state/gc-poplar-02/job.999999"
is 'what could not be removed does' 16 "$(value gc-poplar-02 ipus_held)"
rm -f "$state/gc-poplar-02/job.999999"

# A file, replaced at once, that the collector may read.
prom=$TESSERA_LAB/tessera.prom
fine run tessera metrics --node=sn30-r1-h1 --output="$prom"
fine "$top/test/unit/prometheus" <"$prom" >/dev/null
is 'anyone may read it' 644 "$(stat -c %a "$prom")"
is 'nothing else is left' "$prom" "$(ls "$prom"*)"
code=0
run tessera metrics --node=sn30-r1-h1 --output="$TESSERA_LAB/no/such/dir" 2>/dev/null || code=$?
is 'no directory' 3 "$code"
code=0
ann tessera metrics --node=sn30-r1-h1 --output="$TESSERA_LAB/etc/x.prom" 2>/dev/null || code=$?
is 'no permission' 4 "$code"

# A ledger that cannot be read: no number for tiles, and it says so.
cp "$state/sn30-r1-h1/ledger" "$TESSERA_LAB/kept"
echo nonsense >"$state/sn30-r1-h1/ledger"
code=0
run tessera metrics --node=sn30-r1-h1 --output="$prom" 2>/dev/null || code=$?
is 'the exit code' 1 "$code"
is 'it is down' 'tessera_up{node="sn30-r1-h1"} 0' "$("$top/test/unit/prometheus" <"$prom")"
cp "$TESSERA_LAB/kept" "$state/sn30-r1-h1/ledger"
rm -f "$TESSERA_LAB/kept" "$prom"
run scancel "$half" "$both"
