#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera metrics prints the node's values in the format of Prometheus; unknown values are left out.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

state=$TESSERA_LAB/state
trap 'rm -f "$state"/*/used.*' EXIT
rm -f "$state"/*/used.*
metrics() { run tessera metrics "$@" | "$top/test/unit/command/prometheus"; }
# value NODE NAME [LABEL]: a value of the node.
value() { metrics --node="$1" | sed -n "s/^tessera_$2{${3:+$3,}node=\"$1\"} //p;s/^tessera_$2{node=\"$1\"${3:+,$3}} //p" | head -n 1; }

is 'no tile is allocated' 0 "$(value sn30-r1-h1 tiles_held)"
half=$(ann sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu_tile:4 --wrap 'sleep 600')
both=$(ann sbatch --parsable -o /dev/null -N2 -p p64 -w gc-poplar-02,gc-poplar-03 --ipus=8 --wrap 'sleep 600')
reaches "$half" RUNNING
reaches "$both" RUNNING
await 'the ledger has the tiles' eval '[ -n "$(rows sn30-r1-h1)" ]'
await 'the job records are ready' eval 'grep -q "state ready" '"$state/gc-poplar-02/job.$both $state/gc-poplar-03/job.$both"

fine metrics --node=sn30-r1-h1 >/dev/null
is 'tiles are counted' '64 4' "$(value sn30-r1-h1 tiles) $(value sn30-r1-h1 tiles_held)"
is 'the reservation is counted' 1 "$(value sn30-r1-h1 reservations 'state="held"')"
is 'the node is up' 1 "$(value sn30-r1-h1 up)"
is 'a value without a sample is left out' '' "$(value sn30-r1-h1 outside_tile_seconds)"
is 'a node without a controller has no vipu_up' '' "$(value sn30-r1-h1 vipu_up)"
is 'IPUs are counted on the first node' '64 8' "$(value gc-poplar-02 ipus) $(value gc-poplar-02 ipus_held)"
is 'IPUs are not counted on the second node' 0 "$(value gc-poplar-03 ipus_held)"
is 'the record of the second node is counted' 1 "$(value gc-poplar-03 reservations 'state="ready"')"
is 'partitions are counted' '1 1 0' "$(value gc-poplar-02 vipu_up) $(value gc-poplar-02 partitions 'state="active"') $(value gc-poplar-02 partitions 'state="error"')"

# A pool is reported once, whatever the number of its hosts, so that sum() over them is right. Each
# host reports whether it reaches the controller.
sum() { for host in gc-poplar-02 gc-poplar-03 gc-poplar-04; do value $host "$@"; done | awk '{ sum += $1 } END { print sum }'; }
is 'the IPUs of the pool are summed' '64 8' "$(sum ipus) $(sum ipus_held)"
is 'the partitions of the pool are summed' '1 0' "$(sum partitions 'state="active"') $(sum partitions 'state="error"')"
is 'each host reaches the controller' 3 "$(sum vipu_up)"

# Values of samples, and failures.
printf 'tessera-used 1\njob 0 restarts 0 samples 2 first 1700000000 last 1700000060\nseen 60 tiles 0 ipus - outside 30 ended 0\nend\n' >"$state/sn30-r1-h1/used.0"
is 'tile-seconds outside any job are reported' 30 "$(value sn30-r1-h1 outside_tile_seconds)"
rm -f "$state/sn30-r1-h1/used.0"
sed "s/job $both/job 999999/; s/state ready/state failed/" "$state/gc-poplar-02/job.$both" >"$state/gc-poplar-02/job.999999"
is 'a failure is counted' 1 "$(value gc-poplar-02 failures 'cause="failed"')"
is 'a failed record holds no IPUs' 8 "$(value gc-poplar-02 ipus_held)"
sed -i 's/state failed/state refused/' "$state/gc-poplar-02/job.999999"
is 'a refused record holds no IPUs' 8 "$(value gc-poplar-02 ipus_held)"
sed -i 's/state refused/state leaving/' "$state/gc-poplar-02/job.999999"
is 'a partition that could not be removed holds IPUs' 16 "$(value gc-poplar-02 ipus_held)"
rm -f "$state/gc-poplar-02/job.999999"

# A file for the collector, replaced atomically.
prom=$TESSERA_LAB/tessera.prom
fine run tessera metrics --node=sn30-r1-h1 --output="$prom"
fine "$top/test/unit/command/prometheus" <"$prom" >/dev/null
is 'all users may read the file' 644 "$(stat -c %a "$prom")"
is 'no temporary file is left' "$prom" "$(ls "$prom"*)"
code=0
run tessera metrics --node=sn30-r1-h1 --output="$TESSERA_LAB/no/such/dir" 2>/dev/null || code=$?
is 'the exit code is 3 without the directory' 3 "$code"
code=0
ann tessera metrics --node=sn30-r1-h1 --output="$TESSERA_LAB/etc/x.prom" 2>/dev/null || code=$?
is 'the exit code is 4 without permission' 4 "$code"

# Without a readable ledger no tiles are counted, and the node is not up.
cp "$state/sn30-r1-h1/ledger" "$TESSERA_LAB/kept"
echo nonsense >"$state/sn30-r1-h1/ledger"
code=0
run tessera metrics --node=sn30-r1-h1 --output="$prom" 2>/dev/null || code=$?
is 'the exit code is 1 with a damaged ledger' 1 "$code"
is 'the node is not up' 'tessera_up{node="sn30-r1-h1"} 0' "$("$top/test/unit/command/prometheus" <"$prom")"
cp "$TESSERA_LAB/kept" "$state/sn30-r1-h1/ledger"
rm -f "$TESSERA_LAB/kept" "$prom"
run scancel "$half" "$both"
