#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An idle node whose platform is renamed in tessera.conf works as before. A node with rows in its
# ledger does not read them as tiles of another platform.
. "$(dirname "$0")/lib.sh"

node=sm-01
ledger=$TESSERA_LAB/state/$node/ledger
site=$TESSERA_LAB/etc/tessera.conf
cp "$site" "$site.saved"
trap 'mv -f "$site.saved" "$site"; rm -f "$ledger"' EXIT
mask() { ann srun -Q -p sn10 -w $node --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY 2>&1; }

is 'a job has its mask' 0x0000000f "$(mask)"
await 'no tile is allocated' no_rows
is 'the ledger is empty' 'tessera-ledger 1 sn10-8 end 0' "$(xargs <"$ledger")"

renamed() { sed 's/Platform = sn10-8/Platform = ours/' "$site.saved" && echo 'platform ours { Like = sn10-8 }'; }
rewrite "$site" renamed
is 'doctor finds nothing in the ledger' '' "$(run tessera doctor --node=$node --raw -o check,text 2>&1 | grep '^ledger')"
is 'a job has its mask under the new name' 0x0000000f "$(mask)"
await 'no tile is allocated' no_rows
is 'the ledger names the new platform' 'tessera-ledger 1 ours end 0' "$(xargs <"$ledger")"

# Rows of other tiles are not dropped.
await 'no job is in the queue' no_jobs
printf '%s\n' 'tessera-ledger 1 sn10-8' 'job 4000000 uid 1 state held restarts 0 tiles 0-3 text -' 'end 1' >"$ledger"
refused mask
like 'rows of another platform are refused' "$ledger:1: .*platform sn10-8, but this node is ours" "$said"
rm "$ledger"
