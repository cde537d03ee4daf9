# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Start the daemons, each in the foreground and recorded, and wait until each of them works.

# ready SECONDS NAME WHAT CMD...: wait until CMD succeeds. If the daemon NAME ends meanwhile, print its log.
ready() {
	local seconds=$1 name=$2 what=$3 seen=no
	shift 3
	await "$seconds" ready_or_dead "$name" "$@" && seen=yes
	process_of "$name" >/dev/null || {
		show_log "$name"
		fail "$name ended while the lab waited for it: $what"
	}
	# Success once is enough: a health check may drain a new node for a moment.
	[ $seen = yes ] || {
		show_log "$name"
		fail "$name is running, but timed out after $seconds seconds: $what"
	}
}

ready_or_dead() {
	local name=$1
	shift
	process_gone "$name" || "$@"
}

# show_log NAME: the last lines with an error in a daemon's log, or its last lines if there are none.
show_log() {
	local files=() file
	for file in "$LAB/log/$1.log" "$LAB/log/$1.out"; do [ -s "$file" ] && files+=("$file"); done
	[ ${#files[@]} -gt 0 ] || return 0
	{ grep -hiE 'error|fatal|fail|cannot|denied|tessera' "${files[@]}" | grep -v pmix | tail -n 12 | grep . ||
		tail -qn 12 "${files[@]}"; } | sed "s|^|  $1: |" >&2
}

# LAB_AUTH=slurm: Slurm's own authentication needs a key beside slurm.conf, and no munged. Its sockets
# have fixed paths, so there can be one such lab at a time.
start_auth() {
	if [ "${LAB_AUTH:-munge}" = munge ]; then
		start_munged
	else
		(umask 077 && head -c 1024 /dev/urandom >"$LAB/etc/slurm.key")
	fi
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
	# --force: do not resolve the host name, which fails without /etc/hosts. No account here uses it.
	mariadb-install-db --no-defaults --force --auth-root-authentication-method=socket --auth-root-socket-user=root \
		--skip-test-db --user=root --datadir="$LAB/db" >"$LAB/log/mariadbd.out" 2>&1 || {
		show_log mariadbd
		fail 'mariadb-install-db cannot create a data directory'
	}
	# No port, since slurmdbd uses the socket, and no syncing, since the data are temporary. Slurm wants snapshot isolation
	# off, which MariaDB has on from 11.6.2; older releases do not know it.
	process_launch mariadbd mariadbd --no-defaults --user=root --datadir="$LAB/db" --skip-networking \
		--socket="$LAB/run/mariadb.socket" --pid-file="$LAB/run/mariadbd.pid" --innodb-flush-log-at-trx-commit=0 \
		--innodb-buffer-pool-size=256M --innodb-lock-wait-timeout=900 --loose-innodb-snapshot-isolation=OFF
	ready 20 mariadbd 'it answers on its socket' mariadb_answers
	# slurmdbd would create it, but with libmariadb 3.4.10 it ends right after that: its connection is unusable then.
	mariadb_run 'CREATE DATABASE IF NOT EXISTS slurm_acct_db' || fail 'cannot create the database of slurmdbd'
}

mariadb_run() { mariadb --no-defaults --socket="$LAB/run/mariadb.socket" -e "$1"; }
mariadb_answers() { mariadb_run 'SELECT 1' >/dev/null 2>&1; }

start_slurmdbd() {
	process_launch slurmdbd env MYSQL_UNIX_PORT="$LAB/run/mariadb.socket" slurmdbd -D
	ready 20 slurmdbd 'sacctmgr answers' sacctmgr_answers
	if ! inside sacctmgr -nP list cluster format=cluster | grep -qx lab; then
		inside sacctmgr -iQ add cluster lab >/dev/null || fail 'sacctmgr cannot add the cluster'
		inside sacctmgr -iQ add account physics biology >/dev/null &&
			inside sacctmgr -iQ add user root account=physics >/dev/null &&
			inside sacctmgr -iQ add user "${lab_users[0]}" account=physics >/dev/null &&
			inside sacctmgr -iQ add user "${lab_users[1]}" account=biology >/dev/null ||
			fail 'sacctmgr cannot add the accounts'
	fi
}

sacctmgr_answers() { inside timeout 5 sacctmgr -n list cluster >/dev/null 2>&1; }

# Start slurmctld with its saved state, if there is one.
start_slurmctld() {
	process_launch slurmctld slurmctld -D
	ready 20 slurmctld 'it answers a ping' slurmctld_answers
}

slurmctld_answers() { inside timeout 5 scontrol ping 2>/dev/null | grep -q ' is UP'; }

# start_slurmd NODE...: start all at once, then wait until Slurm can start jobs on each. LAB_SLURMD_CONF is another
# slurm.conf for a node that differs from the others. With LAB_CONFIGLESS the node has no files, and slurmctld sends them.
start_slurmd() {
	local node conf=${LAB_SLURMD_CONF:-$LAB/etc/slurm.conf}
	for node in "$@"; do
		mkdir -p "$LAB/spool/$node" "$LAB/state/$node" "$LAB/dev/$node"
		[ -e "$LAB/dev/$node/rdu" ] || install -m 666 /dev/null "$LAB/dev/$node/rdu"
		if [ -n "${LAB_CONFIGLESS:-}" ]; then
			process_launch "$node" "$lab_src/bare" "$LAB" slurmd -D -N "$node" --conf-server "127.0.0.1:$(<"$LAB/port")"
		else
			process_launch "$node" slurmd -D -f "$conf" -N "$node"
		fi
	done
	for node in "$@"; do ready 20 "$node" 'slurmctld has it ready for jobs' node_ready "$node"; done
}

# slurmctld may still show an ended slurmd as up, so the new one must listen, which it does after loading all plugins.
node_ready() {
	port_taken "$(sed -n "s/^NodeName=$1 .* Port=\([0-9]*\) .*/\1/p" "$LAB/etc/slurm.conf")" &&
		inside sinfo -hn "$1" -o '%t' 2>/dev/null | grep -qE '^(idle|mix|alloc)$'
}

nodes_registered() { ! inside sinfo -hN -o %t | grep -q unk; }

# Start the emulated V-IPU controller with its saved partitions. The caller waits for it with vipu_ready.
launch_vipu() {
	mkdir -p "$LAB/vipu"
	process_launch vipu "$LAB/emulator/emulator" --port "$(vipu_port)" --state "$LAB/vipu/state" --control "$LAB/vipu"
}

vipu_port() { echo $(($(<"$LAB/port") + port_vipu)); }
vipu_answers() { port_taken "$(vipu_port)"; }
vipu_ready() { ready 20 vipu 'it listens on its port' vipu_answers; }

# lab_restart NAME: stop a daemon and start it again with its saved state.
lab_restart() {
	[ $# -eq 1 ] || fail 'restart takes a node, ctld, dbd or vipu'
	lab_must_be_up
	stage_find && stage_files
	case $1 in
	ctld | slurmctld)
		process_end slurmctld
		start_slurmctld
		# slurmctld lets every node register again before it starts jobs there.
		ready 60 slurmctld 'all nodes have registered again' nodes_registered
		;;
	dbd | slurmdbd)
		[ -d "$LAB/db" ] || fail 'this lab has no slurmdbd: lab up --db starts one'
		process_end slurmdbd
		start_slurmdbd
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
