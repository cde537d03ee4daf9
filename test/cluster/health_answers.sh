#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What counts as an answer of a health tool. It is kept when it comes, though another tool hangs.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/health.bash"

breaks /NODE/XRDU_0/RDU_0/TILE_0 'hung /NODE/XRDU_3/RDU_0/TILE_0'
fine health >/dev/null
is 'to begin with' '0.0 6.0' "$(said_of snfadm tiles) $(said_of snconfig tiles)"
breaks /NODE/XRDU_1/RDU_1/TILE_5
keys 'HealthWait = 3600'
echo hang >"$sick/fault.snconfig"
health >/dev/null &
await 'snconfig hangs' test -e "$sick/hangs.snconfig"
is 'what snfadm says is kept, and what snconfig said' '3.5 6.0' "$(said_of snfadm tiles) $(said_of snconfig tiles)"
rm "$sick/fault.snconfig"
fine wait $!
is 'and what it says' '3.5 -' "$(said_of snfadm tiles) $(said_of snconfig tiles)"
