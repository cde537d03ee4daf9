#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# On the host of slurmdbd, tessera doctor warns of MariaDB's innodb_snapshot_isolation, and says how
# to query it if doctor cannot.
. "$(dirname "$0")/lib.sh"

sql() { mariadb --no-defaults --socket="$TESSERA_LAB/run/mariadb.socket" -NBe "$1"; }
doctor() { run env "$@" tessera doctor 2>&1; }
name=innodb_snapshot_isolation
isolation=$(fine sql "SHOW VARIABLES LIKE '$name'" | cut -f2)

like 'without an answer, doctor says how to query it' \
	"^tessera: cannot check: whether MariaDB has $name=OFF: .*$TESSERA_LAB/none.*; ask it yourself: mariadb -e \"SHOW " \
	"$(doctor MYSQL_UNIX_PORT="$TESSERA_LAB/none")"
like 'a user is told that root can check it' "$name=OFF: slurmdbd.conf cannot be read \(run doctor as root\)" \
	"$(ann tessera doctor 2>&1)"
if [ -z "$isolation" ]; then
	unlike 'a server without it is fine' "$name" "$(doctor)"
	echo "this MariaDB has no $name: its values are not tried"
	exit 0
fi
trap 'sql "SET GLOBAL $name=$isolation"' EXIT
fine sql "SET GLOBAL $name=OFF"
unlike 'OFF is fine' "$name" "$(doctor)"
fine sql "SET GLOBAL $name=ON"
said=$(doctor)
like 'ON is found' "^warning: .*/slurmdbd.conf: its MariaDB has $name=ON, which Slurm does not support: slurmdbd exits" "$said"
like 'the advice has the line to write' "write: $name=OFF below \[mariadb\]" "$said"
