# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Starting the daemons, each in the foreground and recorded, and waiting until each does its work.

# ready SECONDS NAME WHAT CMD...: wait for CMD, but not for a daemon that has died; say why it did.
ready() {
	local seconds=$1 name=$2 what=$3 seen=no
	shift 3
	await "$seconds" ready_or_dead "$name" "$@" && seen=yes
	process_of "$name" >/dev/null || {
		show_log "$name"
		fail "$name ended while the lab waited for it: $what"
	}
	# Once is enough: a health check may drain a node for a moment as soon as it is there.
	[ $seen = yes ] || {
		show_log "$name"
		fail "$name runs, but in $seconds seconds: $what: not so"
	}
}

ready_or_dead() {
	local name=$1
	shift
	process_gone "$name" || "$@"
}

# show_log NAME: the last lines of a daemon's log that say what is wrong; its last lines if none does.
show_log() {
	local files=() file
	for file in "$LAB/log/$1.log" "$LAB/log/$1.out"; do [ -s "$file" ] && files+=("$file"); done
	[ ${#files[@]} -gt 0 ] || return 0
	{ grep -hiE 'error|fatal|fail|cannot|denied|tessera' "${files[@]}" | grep -v pmix | tail -n 12 | grep . ||
		tail -qn 12 "${files[@]}"; } | sed "s|^|  $1: |" >&2
}

start_munged() {
	mkdir -m 700 "$LAB/key"
	(umask 077 && head -c 1024 /dev/urandom >"$LAB/key/munge.key")
	process_launch munged munged --foreground --key-file="$LAB/key/munge.key" --socket="$LAB/run/munge.socket" \
		--pid-file="$LAB/run/munged.pid" --log-file="$LAB/log/munged.log" --seed-file="$LAB/key/seed" \
		--num-threads=4
	ready 10 munged 'munge encodes' munge_answers
}

munge_answers() { munge --no-input --socket="$LAB/run/munge.socket" >/dev/null 2>&1; }

start_mariadbd() {
	mkdir -p "$LAB/db"
	mariadb-install-db --no-defaults --auth-root-authentication-method=socket --auth-root-socket-user=root \
		--skip-test-db --user=root --datadir="$LAB/db" >"$LAB/log/mariadbd.out" 2>&1 || {
		show_log mariadbd
		fail 'mariadb-install-db could not make a data directory'
	}
	# No port: slurmdbd finds it by its socket. Nothing here needs to survive a power cut.
	process_launch mariadbd mariadbd --no-defaults --user=root --datadir="$LAB/db" --skip-networking \
		--socket="$LAB/run/mariadb.socket" --pid-file="$LAB/run/mariadbd.pid" --innodb-flush-log-at-trx-commit=0 \
		--innodb-buffer-pool-size=256M --innodb-lock-wait-timeout=900
	ready 20 mariadbd 'it answers on its socket' mariadb_answers
}

mariadb_answers() { mariadb --no-defaults --socket="$LAB/run/mariadb.socket" -e 'SELECT 1' >/dev/null 2>&1; }

start_slurmdbd() {
	process_launch slurmdbd env MYSQL_UNIX_PORT="$LAB/run/mariadb.socket" slurmdbd -D
	ready 20 slurmdbd 'sacctmgr answers' sacctmgr_answers
	if ! inside sacctmgr -nP list cluster format=cluster | grep -qx lab; then
		inside sacctmgr -iQ add cluster lab >/dev/null || fail 'sacctmgr could not add the cluster'
		inside sacctmgr -iQ add account physics biology >/dev/null &&
			inside sacctmgr -iQ add user root account=physics >/dev/null &&
			inside sacctmgr -iQ add user "${lab_users[0]}" account=physics >/dev/null &&
			inside sacctmgr -iQ add user "${lab_users[1]}" account=biology >/dev/null ||
			fail 'sacctmgr could not add the accounts'
	fi
}

sacctmgr_answers() { inside timeout 5 sacctmgr -n list cluster >/dev/null 2>&1; }

# With the state that it saved, if it did.
start_slurmctld() {
	process_launch slurmctld slurmctld -D
	ready 20 slurmctld 'it answers a ping' slurmctld_answers
}

slurmctld_answers() { inside timeout 5 scontrol ping 2>/dev/null | grep -q ' is UP'; }

# start_slurmd NODE...: all at once, then wait until Slurm could give each of them a job. LAB_SLURMD_CONF: with that
# slurm.conf instead of the lab's, for a node that is not like the others.
start_slurmd() {
	local node conf=${LAB_SLURMD_CONF:-$LAB/etc/slurm.conf}
	for node in "$@"; do
		mkdir -p "$LAB/spool/$node" "$LAB/state/$node" "$LAB/dev/$node"
		[ -e "$LAB/dev/$node/rdu" ] || install -m 666 /dev/null "$LAB/dev/$node/rdu"
		process_launch "$node" slurmd -D -f "$conf" -N "$node"
	done
	for node in "$@"; do ready 20 "$node" 'slurmctld has it ready for jobs' node_ready "$node"; done
}

# slurmctld may still think well of a slurmd that has gone: the new one must listen, which it does when all is loaded.
node_ready() {
	port_taken "$(sed -n "s/^NodeName=$1 .* Port=\([0-9]*\) .*/\1/p" "$LAB/etc/slurm.conf")" &&
		inside sinfo -hn "$1" -o '%t' 2>/dev/null | grep -qE '^(idle|mix|alloc)$'
}

nodes_registered() { ! inside sinfo -hN -o %t | grep -q unk; }

# The emulated V-IPU controller, with the partitions that it had. The caller waits for it, when it likes.
launch_vipu() {
	mkdir -p "$LAB/vipu"
	process_launch vipu "$LAB/emulator/emulator" --port "$(vipu_port)" --state "$LAB/vipu/state" --control "$LAB/vipu"
}

vipu_port() { echo $(($(<"$LAB/port") + port_vipu)); }
vipu_answers() { port_taken "$(vipu_port)"; }
vipu_ready() { ready 20 vipu 'it listens on its port' vipu_answers; }

# Stop one daemon and start it again with the state it had.
lab_restart() {
	[ $# -eq 1 ] || fail 'restart takes a node, ctld or vipu'
	lab_must_be_up
	stage_find && stage_files
	case $1 in
	ctld | slurmctld)
		process_end slurmctld
		start_slurmctld
		# It asks every node anew what it is before it gives it a job.
		ready 60 slurmctld 'all nodes have registered again' nodes_registered
		;;
	vipu)
		[ -d "$LAB/vipu" ] || fail 'this lab has no IPU nodes, hence no V-IPU controller'
		process_end vipu
		launch_vipu
		vipu_ready
		;;
	*)
		[ -d "$LAB/spool/$1" ] && [ "$1" != slurmctld ] || fail "there is no node '$1': sinfo lists them"
		process_end "$1"
		start_slurmd "$1"
		;;
	esac
}
