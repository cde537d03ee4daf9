# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Grants in scenarios.

conf=$TESSERA_LAB/etc/tessera.conf
one=sn30-r1-h1
two=sn30-r1-h2
socket=$TESSERA_LAB/run/munge.socket

# inside CREDENTIAL: what is written in it.  maker CREDENTIAL: who had munge make it.
inside() { unmunge --socket="$socket" --metadata=/dev/null <<<"$1"; }
maker() { unmunge --socket="$socket" --output=/dev/null --keys=UID <<<"$1" | awk '{ print $2 }'; }
# field NAME CREDENTIAL: the word after NAME.
field() { inside "$2" | sed -n "s/.* $1 \([^ ]*\).*/\1/p"; }
# sealed TEXT [OPTION]...: what munge makes of it in root's name.
sealed() { printf %s "$1" | munge --socket="$socket" "${@:2}"; }

# verdict USER NODE VARIABLE=VALUE...: the exit code of tessera verify as that user there, and in $said its words.
verdict() {
	local as=(as "tess-$1") node=$2
	[ "$1" != root ] || as=(run)
	shift 2
	said=$("$lab" "${as[@]}" env "$@" SLURMD_NODENAME="$node" tessera verify --conf="$conf" 2>&1)
	code=$?
}

# setting KEY VALUE: in tessera.conf, instead of what is there.  setting_back: all as it was; for a trap.
setting() {
	[ -e "$conf.saved" ] || cp "$conf" "$conf.saved"
	{ grep -v "^$1 " "$conf" && echo "$1 = $2"; } | rewrite "$conf"
}
setting_back() { [ ! -e "$conf.saved" ] || mv -f "$conf.saved" "$conf"; }

# log_from NODE; log_since: the lines of ours that the node's slurmd has logged between.
log_from() {
	log_file=$TESSERA_LAB/log/$1.log
	log_size=$(stat -c %s "$log_file")
}
log_since() { tail -c "+$((log_size + 1))" "$log_file" | grep 'tessera:'; }
