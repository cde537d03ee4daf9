# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions for scenarios about grants.

conf=$TESSERA_LAB/etc/tessera.conf
one=sn30-r1-h1
two=sn30-r1-h2
socket=$TESSERA_LAB/run/munge.socket

# grant_text CREDENTIAL: its text.  grant_creator CREDENTIAL: the user that munge encoded it for.
grant_text() { unmunge --socket="$socket" --metadata=/dev/null <<<"$1"; }
grant_creator() { unmunge --socket="$socket" --output=/dev/null --keys=UID <<<"$1" | awk '{ print $2 }'; }
# field NAME CREDENTIAL: the word after NAME in its text.
field() { grant_text "$2" | sed -n "s/.* $1 \([^ ]*\).*/\1/p"; }
# munge_text TEXT [OPTION]...: a munge credential of TEXT, created by root.
munge_text() { printf %s "$1" | munge --socket="$socket" "${@:2}"; }

# run_verify USER NODE VARIABLE=VALUE...: run tessera verify as USER on NODE; sets $code and $said.
run_verify() {
	local as=(as "tess-$1") node=$2
	[ "$1" != root ] || as=(run)
	shift 2
	said=$("$lab" "${as[@]}" env "$@" SLURMD_NODENAME="$node" tessera verify --conf="$conf" 2>&1)
	code=$?
}

# set_conf KEY VALUE: replace KEY in tessera.conf.  restore_conf: restore the file; for a trap.
with_key() { grep -v "^$1 " "$conf" && echo "$1 = $2"; }
set_conf() {
	[ -e "$conf.saved" ] || cp "$conf" "$conf.saved"
	rewrite "$conf" with_key "$1" "$2"
}
restore_conf() { [ ! -e "$conf.saved" ] || mv -f "$conf.saved" "$conf"; }

# log_from NODE: remember the end of slurmd's log there.  log_since: Tessera's lines in it since then.
log_from() {
	log_file=$TESSERA_LAB/log/$1.log
	log_size=$(stat -c %s "$log_file")
}
log_since() { tail -c "+$((log_size + 1))" "$log_file" | grep 'tessera:'; }
