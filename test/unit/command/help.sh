#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The help of every command fits a screen of 24 lines and 80 columns, and has an example; wrong usage exits with 2:
# help.sh PROGRAM.

tessera=${1:?usage: help.sh PROGRAM}
failed=0

# report NAME RESULT
report()
{
	if [ "$2" = 0 ]; then echo "ok - $1"; else echo "not ok - $1" && failed=1; fi
}

# fits TEXT NAME: with room for the prompt.
fits()
{
	printf '%s\n' "$1" | awk 'length($0) > 80 { print "# too wide: " $0; bad = 1 } END { if (NR > 23) { print "# " NR " lines"; bad = 1 } exit bad }'
	report "$2 fits a screen" $?
}

commands=$("$tessera" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(printf '%s\n' "$commands" | wc -l)" -ge 10 ]
report 'there are commands' $?
fits "$("$tessera" --help)" 'tessera --help'
for command in $commands; do
	help=$("$tessera" "$command" --help 2>&1)
	report "$command --help ends with 0" $?
	fits "$help" "$command --help"
	printf '%s\n' "$help" | grep -q "^Usage: tessera $command"
	report "$command --help says how it is called" $?
	printf '%s\n' "$help" | sed -n '/^Example/,$p' | grep -q "tessera $command"
	report "$command --help shows an example" $?
	[ "$("$tessera" "$command" -h)" = "$help" ]
	report "$command -h is the same" $?
	for wrong in --nonsuch -Z; do
		"$tessera" "$command" $wrong >/dev/null 2>&1
		[ $? = 2 ]
		report "$command $wrong is wrong usage" $?
	done
done
exit $failed
