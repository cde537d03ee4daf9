#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What counts as a result of a health tool. Each result is stored when it comes, even while another
# tool hangs. A tool with an exit status other than 0 has given a result if it covered all tiles and
# some of them are bad; otherwise it has failed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/health.bash"

# fails_as KEY: the line of KEY with a wrapper around its tool that exits with status 1.
fails=$TESSERA_LAB/fails
fails_as() { sed -n "s|^\($1 = \".*SLURMD_NODENAME=%n\) |\1 $fails |p" "$conf"; }
printf '#!/bin/sh\n"$@"\necho enough >&2\nexit 1\n' >"$fails"
chmod 755 "$fails"
put_back() {
	rm -f "$fails"
	reset_health
}
trap put_back EXIT

set_broken /NODE/XRDU_0/RDU_0/TILE_0 'hung /NODE/XRDU_3/RDU_0/TILE_0'
fine health >/dev/null
is 'both tools report their bad tile' '0.0 6.0' "$(source_column snfadm tiles) $(source_column snconfig tiles)"
set_broken /NODE/XRDU_1/RDU_1/TILE_5
keys 'HealthWait = 3600'
echo hang >"$sick/fault.snconfig"
health >/dev/null &
await 'snconfig hangs' test -e "$sick/hangs.snconfig"
is 'the result of snfadm is stored while snconfig hangs' '3.5 6.0' "$(source_column snfadm tiles) $(source_column snconfig tiles)"
rm "$sick/fault.snconfig"
fine wait $!
is 'the result of snconfig is stored when it comes' '3.5 -' "$(source_column snfadm tiles) $(source_column snconfig tiles)"

# Without a current result of the other tool, tiles that the first tool calls good are unknown.
sed -i 's/^\(source [a-z]* time\) [0-9]*/\1 1/' "$TESSERA_LAB/state/$node/health"
rm "$sick/hangs.snconfig"
echo hang >"$sick/fault.snconfig"
health >/dev/null &
await 'snconfig hangs again' test -e "$sick/hangs.snconfig"
is 'only the bad tile is known while snconfig hangs' '1 3.5' "$(source_column snfadm known,tiles)"
rm "$sick/fault.snconfig"
fine wait $!
is 'all tiles are known after both results' '64 3.5' "$(source_column snfadm known,tiles)"

# failed TOOL: the tool failed, and its earlier result still counts.
failed() {
	local code=0
	said=$(run tessera health --node="$node" 2>&1 >/dev/null) || code=$?
	is "$1: the exit code" 3 "$code"
	like "$1: the message" "^tessera: $1: /usr/bin/env failed with 1: enough\$" "$said"
}
set_broken /NODE/XRDU_2/RDU_0/TILE_1 'hung /NODE/XRDU_3/RDU_1/TILE_2'
keys "$(fails_as SnfadmCommand)" "$(fails_as SnconfigCommand)"
is 'a list of all tiles with bad ones is a result' '' "$(fine health 2>&1 >/dev/null)"
is 'both tools report their bad tile with status 1' '4.1 7.2' "$(source_column snfadm tiles) $(source_column snconfig tiles)"
is 'the bad tiles are not allocated' 0x00ffff00ffffffff "$(job_mask --gres=rdu:6)"
# No tile is bad: the tool failed for another reason.
set_broken 'hung /NODE/XRDU_3/RDU_1/TILE_2'
failed snfadm
is 'the earlier result still counts' '64 4.1' "$(source_column snfadm known,tiles)"
# The output is incomplete or cannot be parsed.
set_broken /NODE/XRDU_0/RDU_0/TILE_0 'hung /NODE/XRDU_3/RDU_1/TILE_2'
for fault in half cut other; do
	echo $fault >"$sick/fault.snfadm"
	failed snfadm
	is "$fault: the earlier result still counts" '64 4.1' "$(source_column snfadm known,tiles)"
done
rm "$sick/fault.snfadm"
set_broken /NODE/XRDU_0/RDU_0/TILE_0
failed snconfig
is 'the other tool gives a result' '0.0 7.2' "$(source_column snfadm tiles) $(source_column snconfig tiles)"

# IPUs.
node=gc-poplar-02
keys "$(fails_as IpuHealthCommand)"
failed gcipuinfo
is 'no IPU is known' '- -' "$(source_column gcipuinfo known,bad)"
set_broken '10.1.5.10 2'
is 'a list with a bad IPU is a result' '' "$(fine health 2>&1 >/dev/null)"
is 'the bad IPU is counted' '- 1' "$(source_column gcipuinfo known,bad)"
