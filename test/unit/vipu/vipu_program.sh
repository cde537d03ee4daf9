# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Part of vipu.sh: the helper's command line and configuration.

run 0 --help && grep -q '^Usage: tessera-vipu' "$dir/out"
report 'help' $?
fails 2 '0 commands were given'
fails 2 "'nonsuch' is not a command" nonsuch
fails 2 '2 commands' list version
fails 2 'create needs --ipus' create --job=1 --wait=1
fails 2 'remove has no --ipus' remove --job=1 --ipus=4
fails 2 'list has no --wait' list --wait=1
for value in 0 -1 x 1x '' ' 1' 0x1 4294967296 99999999999999999999; do
	fails 2 "--job=$value is not a number from 1 to 4294967295" remove --job="$value"
done
fails 2 '--ipus=65537 is not a number from 1 to 65536' create --job=1 --ipus=65537 --wait=1
fails 2 '--wait=86401' await --job=1 --wait=86401
fails 2 "'--nonsuch'" list --nonsuch
"$helper" --conf="$dir/tessera.conf" list >"$dir/out" 2>"$dir/err"
is 'without a node' "$? $(cat "$dir/err")" '2 list needs --node'
"$helper" --conf="$dir/tessera.conf" --node=pod3 list >"$dir/out" 2>"$dir/err"
is 'an unknown node' $? 3
grep -q 'has no vipu block for node pod3' "$dir/err"
report 'the message says so' $?
"$helper" --conf="$dir/none.conf" --node=pod1 list >"$dir/out" 2>"$dir/err"
is 'no tessera.conf' $? 3
if [ -w /dev/full ]; then
	"$helper" --conf="$dir/tessera.conf" --node=pod1 version >/dev/full 2>"$dir/err"
	is 'a full disk is noticed' $? 3
fi
has
