# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Part of vipu.sh: the vendor's program instead of the controller's interface, and how the helper is called.

# program [LINE]...: through the vipu stand-in; a later line replaces a command
program() {
	local vipu="$here/bin/vipu -H %h --api-port %o" line
	local -A key=([CreateCommand]="$vipu create partition %p --size %n --num-gcds %g --reconfigurable"
		[RemoveCommand]="$vipu remove partition %p" [ForceCommand]="$vipu remove partition %p --force"
		[StatusCommand]="$vipu get partition %p --gcd 0 --ipuof-configs")
	for line; do key[${line%%=*}]=${line#*=}; done
	conf 'Backend = command' "CreateCommand = \"${key[CreateCommand]}\"" "RemoveCommand = \"${key[RemoveCommand]}\"" \
		"ForceCommand = \"${key[ForceCommand]}\"" "StatusCommand = \"${key[StatusCommand]}\"" 'RemoveWait = 5'
	sed -i '/^RemoveWait = 1$/d' "$dir/tessera.conf"
}
# script NAME: what it shall do comes on standard input
script() { { echo '#!/bin/sh' && cat; } >"$dir/$1" && chmod 755 "$dir/$1"; }

# alive PID: and not only waiting to be buried
alive() { grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null; }

program
does create --job=40 --ipus=4 --gcds=2 --wait=20
has 'slurm_40 4 ACTIVE'
does await --job=40 --wait=10
does create --job=40 --ipus=8 --wait=20
has 'slurm_40 8 ACTIVE'
does remove --job=40
has
does remove --job=40
fails 3 'a list of partitions is not available with Backend = command' list
fails 3 'the version of a V-IPU controller is not available' version
other create full 64
fails 5 'slurm_41 of 4 IPUs could not be made within 3 seconds(, and what there is of it could not be removed)?: V-IPU controller .*create partition \(slurm_41\): failed: .*exit status 1' \
	create --job=41 --ipus=4 --wait=3
has 'full 64 ACTIVE'
other remove full
other create slurm_42 4
fault stuck
does remove --job=42
fault none
has

script hang <<'SCRIPT'
trap '' TERM
sleep 60 &
echo "$$ $!" >"${0%/*}/pids"
wait
SCRIPT
program "CreateCommand=$dir/hang"
fails 3 "slurm_43 of 4 IPUs could not be made within 1 seconds(, and what there is of it could not be removed)?: .*$dir/hang did not end in time, and was killed after 1 seconds" \
	create --job=43 --ipus=4 --wait=1
read -r one two <"$dir/pids"
! alive "$one" && ! alive "$two"
report 'what hung is gone, with what it started' $?

# A status that says nothing is no sign that the partition is gone, whether its removal was refused or accepted.
other create slurm_48 4
for removal in /bin/false /bin/true; do
	program "StatusCommand=$dir/hang" "RemoveCommand=$removal" "ForceCommand=$removal"
	sed -i 's/^RemoveWait = 5$/RemoveWait = 1/' "$dir/tessera.conf"
	fails 3 "slurm_48 is not removed: .*$dir/hang did not end in time" remove --job=48
done
has 'slurm_48 4 ACTIVE'
other remove slurm_48

script garbage <<'SCRIPT'
head -c 300000 /dev/urandom
printf 'first\nlast \033[31mred\007 100%%s\n\n'
exit 9
SCRIPT
program "CreateCommand=$dir/garbage"
fails 5 'last \?\[31mred\? 100%s \('"$dir"'/garbage, exit status 9\)' create --job=44 --ipus=4 --wait=1
script killed <<'SCRIPT'
kill -9 $$
SCRIPT
program "CreateCommand=$dir/killed"
fails 5 'no reason was given .*exit status 137' create --job=44 --ipus=4 --wait=1

# A create that lies is found out by the status.
program "CreateCommand=/bin/true"
fails 5 'could not be made within 2 seconds' create --job=45 --ipus=4 --wait=2

# No shell: nothing is expanded, and a value is one word.
script words <<'SCRIPT'
printf '<%s>' "$@" >"${0%/*}/words.out"
env >"${0%/*}/words.env"
SCRIPT
conf 'Backend = command' "CreateCommand = \"$dir/words %p;x  \$HOME *  %n%g %a|%h:%o %%p\"" 'StatusCommand = "/bin/true"'
does create --job=46 --ipus=4 --gcds=2 --wait=10
is 'words' "$(cat "$dir/words.out")" "<slurm_46;x><\$HOME><*><42><|127.0.0.1:$port><%p>"
is 'environment' "$(sort "$dir/words.env" | grep -cvE '^(PATH|PWD|SHLVL|_|OLDPWD)=')" 0
conf 'Backend = command' 'CreateCommand = "vipu create"'
fails 1 "'vipu create' does not begin with an absolute path" create --job=46 --ipus=4 --wait=20
conf 'Backend = command' 'CreateCommand = "/bin/true %x"'
fails 1 "'%x' in a command" create --job=46 --ipus=4 --wait=20
conf 'Backend = command' "CreateCommand = \"$dir/none %p\""
fails 3 "$dir/none: No such file" create --job=46 --ipus=4 --wait=20

# Nobody there: that a removal fails does not mean that there is nothing to remove.
program
stop_emulator
fails 3 'slurm_47 is not removed: .*cannot be reached' remove --job=47
start_emulator
conf

# How it is called.
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
report 'says so' $?
"$helper" --conf="$dir/none.conf" --node=pod1 list >"$dir/out" 2>"$dir/err"
is 'no tessera.conf' $? 3
if [ -w /dev/full ]; then
	"$helper" --conf="$dir/tessera.conf" --node=pod1 version >/dev/full 2>"$dir/err"
	is 'a full disk is noticed' $? 3
fi
has
