#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What bash offers when a user presses Tab: completion.sh PROGRAM.
set -u
program=${1:?usage: completion.sh PROGRAM}
top=$(cd "$(dirname "$0")/../../.." && pwd)
bin=$(mktemp -d) || exit 1
trap 'rm -rf "$bin"' EXIT
ln -s "$(realpath "$program")" "$bin/tessera"
# Stand-ins for the commands that query the cluster.
printf '#!/bin/sh\ncase $* in *%%N) echo node-a; echo node-b ;; *%%R) echo debug ;; esac\n' >"$bin/sinfo"
printf '#!/bin/sh\necho 4711; echo 4712; echo 5\n' >"$bin/squeue"
chmod +x "$bin/sinfo" "$bin/squeue"
PATH=$bin:$PATH
# shellcheck source=etc/tessera.bash-completion
. "$top/etc/tessera.bash-completion"
failed=0

# offers WANTED WORD...: bash offers WANTED for a command line of these words, the last of which is incomplete.
offers() {
	local wanted=$1 got
	shift
	COMP_WORDS=(tessera "$@") COMP_CWORD=$#
	COMPREPLY=()
	_tessera
	got=$(printf '%s\n' "${COMPREPLY[@]-}" | sort -u | paste -sd ' ')
	if [ "$got" = "$wanted" ]; then
		echo "ok - tessera $*"
	else
		echo "not ok - tessera $*: wanted '$wanted', got '$got'"
		failed=1
	fi
}

offers 'sample status' s
offers doctor doct
offers '--help --version' --
offers '' nonsuch
offers 'task topology' t
offers '--tile-bind= --tiles-per-task=' task --ti
offers 'block' task --tile-bind = b
offers '--watch --watch=' status --w
offers '--json' status --js
offers '--columns= --conf=' status --co
offers '--all' status --a
offers '--job=' status --jo
offers '4711 4712' status --job = 47
offers '--pid=' verify --p
offers '--all' guard --a
offers 'mark mask' ma
offers '--dry-run' reap --d
offers 'bad good' mark 3.5 ''
offers 'good' mark 3.5 g
offers '--node=' reap --n
offers '--output=' metrics --o
offers 'node-a node-b' status --node = ''
offers 'node-b' status --node = node-b
offers 'node-a node-b' status --node =
offers 'sn10-8 sn30-8 sn40l-16' mask --platform = sn
offers 'sn30-8' mask --platform sn3
offers 'paths' mask --as = p
offers 'gres.conf' conf --for = g
offers 'debug' explain -p d
offers '--tile-affinity= --tile-bind= --tiles-per-task=' explain --ti
offers "$top/etc/tessera.conf" status --conf = "$top/etc/tessera.c"
offers "$top/etc/tessera.conf" topology --xml = "$top/etc/tessera.c"
offers '' conf --cor
offers '--synthetic=' topology --s
offers '--help' status --he

# Every command and every long option that the program knows is offered.
for command in $(_tessera_commands); do
	offers "$command" "$command"
	_tessera_options "$command" | grep -q . || { echo "not ok - $command has no options" && failed=1; }
done
case $(complete -p tessera) in *'-F _tessera tessera'*) echo 'ok - bash knows whom to ask' ;; *) echo 'not ok - complete' && failed=1 ;; esac
exit $failed
