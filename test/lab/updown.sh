# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Start and stop a lab. A failed start removes all that was started.

lab_users=(tess-ann tess-bob)

lab_up() {
	local db=no nodes=sn30:2,sn10:1,ipu:3 port='' started=$SECONDS
	while [ $# -gt 0 ]; do
		case $1 in
		--db) db=db ;;
		--nodes) nodes=${2:-} && shift ;;
		--nodes=*) nodes=${1#*=} ;;
		--port) port=${2:-} && shift ;;
		--port=*) port=${1#*=} ;;
		--ipu-model=license | --ipu-model=gres) ipu_model=${1#*=} ;;
		*) usage >&2 && exit 2 ;;
		esac
		shift || { usage >&2 && exit 2; }
	done
	config_nodes "$nodes"
	up_check "$db"
	stage_find
	up_claim
	# From here on an error or Ctrl-C stops and removes everything.
	trap 'up_undo $?' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	up_directory
	ports_choose "$port"
	stage_files
	config_write "$db"
	# The emulator loads slowly, so it does that while the daemons start.
	[ ${#ipu_nodes[@]} -eq 0 ] || launch_vipu
	up_users
	start_auth
	if [ "$db" = db ]; then
		say 'starting MariaDB and slurmdbd'
		start_mariadbd
		start_slurmdbd
	fi
	start_slurmctld
	start_slurmd "${all_nodes[@]}"
	[ ${#ipu_nodes[@]} -eq 0 ] || vipu_ready
	: >"$LAB/up"
	trap - EXIT INT TERM HUP
	say "up in $((SECONDS - started)) s: ${#all_nodes[@]} nodes, $LAB"
}

# Check the requirements before anything is changed.
up_check() {
	local program
	[ "$(id -u)" = 0 ] || fail 'only root can start slurmd and run jobs for other users: become root'
	for program in munged slurmctld slurmd srun; do
		up_need "$program" slurmctld slurmd slurm-client munge
	done
	[ ${#ipu_nodes[@]} -eq 0 ] || {
		up_need protoc protobuf-compiler
		# Searching for the module is faster than importing it.
		/usr/bin/python3 -c 'import importlib.util as u; exit(not (u.find_spec("grpc") and u.find_spec("google.protobuf")))' \
			2>/dev/null || fail "Python's gRPC is not installed (Debian: apt-get install python3-grpcio python3-protobuf)"
	}
	[ "$1" != db ] || for program in slurmdbd mariadbd mariadb-install-db mariadb; do
		up_need "$program" slurmdbd slurm-wlm-mysql-plugin mariadb-server-core mariadb-client-core
	done
	# The path of a socket has at most 107 characters.
	[ ${#LAB} -le 80 ] || fail "$LAB is too long for the path of a socket: use at most 80 characters (-d DIR)"
	case $LAB in *[!A-Za-z0-9/._-]*) fail "$LAB has characters that slurm.conf does not allow: use letters, digits and ._- (-d DIR)" ;; esac
}

up_need() {
	local program=$1
	shift
	command -v "$program" >/dev/null || fail "$program is not installed (Debian: apt-get install $*)"
}

# The directory must be new, empty, or an earlier lab.
up_claim() {
	if [ -e "$LAB" ] || [ -L "$LAB" ]; then
		[ -d "$LAB" ] && [ ! -L "$LAB" ] && [ -O "$LAB" ] || fail "$LAB is not a directory owned by root: choose another (-d DIR)"
		[ -e "$LAB/mark" ] || [ -z "$(ls -A "$LAB")" ] || fail "$LAB is not empty and not a lab: choose another (-d DIR)"
	fi
	mkdir -p "$LAB" || fail "cannot create $LAB"
	exec 9>"$LAB.lock"
	flock -n 9 || fail "another lab command is running in $LAB"
	if [ -e "$LAB/up" ] && process_of slurmctld >/dev/null; then
		fail "a lab is already up in $LAB: lab down ends it, -d DIR makes another"
	fi
	if [ -e "$LAB/mark" ]; then
		say 'taking away what is left of an earlier lab'
		down_processes
		down_files
		mkdir -p "$LAB"
	fi
}

up_directory() {
	local user
	chmod 755 "$LAB"
	echo "$$-$RANDOM$RANDOM-$(date +%s%N)" >"$LAB/mark"
	mkdir -p "$LAB/run" "$LAB/log" "$LAB/pids" "$LAB/spool/slurmctld" "$LAB/state" "$LAB/home"
	# Files through which the stand-ins for the vendors' programs communicate.
	mkdir -p "$LAB/use" "$LAB/marks" "$LAB/sick" && chmod 1777 "$LAB/use"
	[ "$(stat -c %a "$LAB")" = 755 ] || fail "cannot make $LAB readable for all users"
	# Other users need access to all parent directories, or their jobs find neither configuration nor plugin.
	user=$LAB
	while user=$(dirname "$user") && [ "$user" != / ]; do
		case $(stat -c %A "$user") in *x | *t) ;; *) fail "$user is not accessible for other users: choose another directory (-d DIR)" ;; esac
	done
}

up_users() {
	local user
	for user in "${lab_users[@]}"; do
		getent passwd "$user" >/dev/null || useradd --no-create-home --home-dir "$LAB/home/$user" --shell /bin/bash "$user" ||
			fail "cannot add the user $user"
		install -d -o "$user" -m 755 "$LAB/home/$user"
	done
}

up_undo() {
	trap - EXIT INT TERM HUP
	say 'not up: taking away what was started'
	down_processes
	down_files
	exit "${1:-1}"
}

lab_down() {
	local keep=no
	[ "${1:-}" != --keep ] || keep=yes
	[ "$(id -u)" = 0 ] || fail 'only root can end a lab: become root'
	[ -e "$LAB/mark" ] || fail "there is no lab in $LAB"
	exec 9>"$LAB.lock"
	flock -w 60 9 || fail "another lab command is running in $LAB"
	down_jobs
	down_processes
	[ "$keep" = yes ] && { ports_release && rm -rf "$LAB/up" "$LAB/pids" && say "down; the logs are in $LAB/log" && return; }
	down_files
	say 'down'
}

# Cancel the jobs first, so that Slurm runs their epilogs.
down_jobs() {
	local jobs
	process_of slurmctld >/dev/null || return 0
	jobs=$(inside timeout 10 squeue -h -o %A 2>/dev/null | sort -u)
	[ -n "$jobs" ] || return 0
	# shellcheck disable=SC2086
	inside timeout 10 scancel --quiet --full --signal=KILL $jobs >/dev/null 2>&1
	# shellcheck disable=SC2086
	inside timeout 10 scancel --quiet $jobs >/dev/null 2>&1
	await 8 no_jobs
	return 0
}

no_jobs() { [ -z "$(inside timeout 5 squeue -h -o %A 2>/dev/null)" ]; }

# End the daemons by their recorded PIDs, all nodes at once first, then all processes with the lab's mark.
down_processes() {
	local name pid
	for name in "$LAB"/pids/*; do
		[ -e "$name" ] && pid=$(process_of "${name##*/}") || continue
		case ${name##*/} in munged | mariadbd | slurmdbd | vipu) ;; *) kill -TERM "$pid" 2>/dev/null ;; esac
	done
	for name in "$LAB"/pids/*; do
		case ${name##*/} in munged | mariadbd | slurmdbd | vipu | '*') ;; *) process_end "${name##*/}" ;; esac
	done
	for name in vipu slurmdbd mariadbd munged; do process_end "$name"; done
	process_sweep
}

down_files() {
	ports_release
	[ -e "$LAB/mark" ] && rm -rf "${LAB:?}"
	[ ! -d "$LAB" ] || rmdir "$LAB" 2>/dev/null
	rm -f "$LAB.lock"
}
