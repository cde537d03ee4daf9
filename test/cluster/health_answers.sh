#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What counts as an answer of a health tool. It is kept when it comes, though another tool hangs; and a tool that ends with
# another status than 0 has answered if it told of all tiles, and some are bad: otherwise it has failed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/health.bash"

# fails_as KEY: its tool, but that ends with status 1.
fails=$TESSERA_LAB/fails
fails_as() { sed -n "s|^\($1 = \".*SLURMD_NODENAME=%n\) |\1 $fails |p" "$conf"; }
printf '#!/bin/sh\n"$@"\necho enough >&2\nexit 1\n' >"$fails"
chmod 755 "$fails"
put_back() {
	rm -f "$fails"
	healthy
}
trap put_back EXIT

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

# But where nothing that counts is known of the other one, what the first calls good is not known to be.
sed -i 's/^\(source [a-z]* time\) [0-9]*/\1 1/' "$TESSERA_LAB/state/$node/health"
rm "$sick/hangs.snconfig"
echo hang >"$sick/fault.snconfig"
health >/dev/null &
await 'snconfig hangs again' test -e "$sick/hangs.snconfig"
is 'only what is bad' '1 3.5' "$(said_of snfadm known,tiles)"
rm "$sick/fault.snconfig"
fine wait $!
is 'until both have told' '64 3.5' "$(said_of snfadm known,tiles)"

# failed TOOL: it has, and what it said before counts.
failed() {
	local code=0
	said=$(run tessera health --node="$node" 2>&1 >/dev/null) || code=$?
	is "$1: exit code" 3 "$code"
	like "$1: sentence" "^tessera: $1: /usr/bin/env failed with 1: enough\$" "$said"
}
breaks /NODE/XRDU_2/RDU_0/TILE_1 'hung /NODE/XRDU_3/RDU_1/TILE_2'
keys "$(fails_as SnfadmCommand)" "$(fails_as SnconfigCommand)"
is 'they answer' '' "$(fine health 2>&1 >/dev/null)"
is 'with bad tiles' '4.1 7.2' "$(said_of snfadm tiles) $(said_of snconfig tiles)"
is 'which nobody gets' 0x00ffff00ffffffff "$(granted --gres=rdu:6)"
# Nothing is bad: it failed for something else.
breaks 'hung /NODE/XRDU_3/RDU_1/TILE_2'
failed snfadm
is 'it said so before' '64 4.1' "$(said_of snfadm known,tiles)"
# It does not say all, or not in a way that is understood.
breaks /NODE/XRDU_0/RDU_0/TILE_0 'hung /NODE/XRDU_3/RDU_1/TILE_2'
for fault in half cut other; do
	echo $fault >"$sick/fault.snfadm"
	failed snfadm
	is "$fault: it said so before" '64 4.1' "$(said_of snfadm known,tiles)"
done
rm "$sick/fault.snfadm"
breaks /NODE/XRDU_0/RDU_0/TILE_0
failed snconfig
is 'the other one answers' '0.0 7.2' "$(said_of snfadm tiles) $(said_of snconfig tiles)"

# IPUs.
node=gc-poplar-02
keys "$(fails_as IpuHealthCommand)"
failed gcipuinfo
is 'nothing is known' '- -' "$(said_of gcipuinfo known,bad)"
breaks '10.1.5.10 2'
is 'it answers' '' "$(fine health 2>&1 >/dev/null)"
is 'with a bad one' '- 1' "$(said_of gcipuinfo known,bad)"
