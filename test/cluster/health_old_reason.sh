#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Without accounting storage (Slurm 23.11 to 25.11) the Reason of a drain stays after the resume.
# tessera health --update counts such a node as any open one, and leaves no Reason with which it
# would later end a drain by slurmctld.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h1
export TESSERA_LAB=$TESSERA_LAB.nodb
trap 'LAB_QUIET=1 "$lab" down 2>/dev/null' EXIT
fine "$lab" up --nodes sn30:1

conf=$TESSERA_LAB/etc/slurm.conf
update() { run tessera health --update --cached --node=$node 2>&1; }
shows() { run sinfo -hN -n $node -o '%T %G' | sed 's/,rdu_mem.*//'; }
counted() { [ "$(shows)" = "idle $1" ]; }
reason() { run sinfo -hN -n $node -o %E; }
is_drained() { [[ $(shows) = drained* ]]; }
has_prolog() { run scontrol show config | grep -q '^Prolog\(\[0\]\)\? *= /bin/false$'; }

fine run scontrol update nodename=$node state=drain reason='new fan'
fine run scontrol update nodename=$node state=resume
await 'the node is open' counted rdu:8,rdu_tile:64
fine run tessera mark --node=$node 3.5 bad
is 'the bad tile is no longer counted' "$node: rdu 8 -> 7, rdu_tile 64 -> 63 (3.5 bad)" "$(update)"
await 'the node is open' counted rdu:7,rdu_tile:63
unlike 'the Reason of the temporary drain is gone' '^tessera: ' "$(reason)"
fine run tessera mark --node=$node 3.5 good
is 'all tiles are counted again' "$node: rdu 7 -> 8, rdu_tile 63 -> 64" "$(update)"
await 'the node is open' counted rdu:8,rdu_tile:64

# slurmctld drains the node, and keeps the Reason that it has.
rewrite "$conf" with_lines "$conf" Prolog=/bin/false
fine run scontrol reconfigure
await 'Slurm has the prolog' has_prolog
ann sbatch -o /dev/null --gres=rdu:1 --wrap true >/dev/null
await 'slurmctld drains the node' is_drained
is 'the update does not end that drain' '' "$(update)"
like 'the node is drained' '^drained ' "$(shows)"
