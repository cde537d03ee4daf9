#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An idle node whose platform gets another name in tessera.conf goes on as if nothing had happened; one with rows in its
# ledger does not take tiles of one platform for those of another.
. "$(dirname "$0")/lib.sh"

node=sm-01
ledger=$TESSERA_LAB/state/$node/ledger
site=$TESSERA_LAB/etc/tessera.conf
cp "$site" "$site.saved"
trap 'mv -f "$site.saved" "$site"; rm -f "$ledger"' EXIT
mask() { ann srun -Q -p sn10 -w $node --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY 2>&1; }

is 'before' 0x0000000f "$(mask)"
await 'no tile is held' no_rows
is 'the ledger is there, and empty' 'tessera-ledger 1 sn10-8 end 0' "$(xargs <"$ledger")"

{
	sed 's/Platform = sn10-8/Platform = ours/' "$site.saved"
	echo 'platform ours { Like = sn10-8 }'
} | rewrite "$site"
is 'doctor' '' "$(run tessera doctor --node=$node --raw -o check,text 2>&1 | grep '^ledger')"
is 'afterwards' 0x0000000f "$(mask)"
await 'no tile is held' no_rows
is 'the ledger is of the new platform' 'tessera-ledger 1 ours end 0' "$(xargs <"$ledger")"

# What is written of other tiles is not dropped.
await 'no job is coming or going' no_jobs
printf '%s\n' 'tessera-ledger 1 sn10-8' 'job 4000000 uid 1 state held restarts 0 tiles 0-3 text -' 'end 1' >"$ledger"
refused mask
like 'rows of another platform' "$ledger:1: .*platform sn10-8, but this node is of ours" "$said"
rm "$ledger"
