# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Commands that run inside a lab.

# inside CMD...: run CMD with the lab's Slurm and the programs of the build tree.
inside() {
	env -u SLURM_JOB_ID SLURM_CONF="$LAB/etc/slurm.conf" MYSQL_UNIX_PORT="$LAB/run/mariadb.socket" \
		TESSERA_LAB="$LAB" PATH="$LAB/bin:$PATH" "$@"
}

lab_must_be_up() {
	[ -e "$LAB/mark" ] || fail "there is no lab in $LAB: lab up makes one"
	process_of slurmctld >/dev/null || fail "the lab in $LAB is not up: lab up renews it"
}

lab_run() {
	[ $# -gt 0 ] || fail 'run takes a command'
	lab_must_be_up
	stage_find && stage_files
	inside "$@"
}

lab_as() {
	local user=${1:-} home
	[ $# -gt 1 ] || fail 'as takes a user and a command'
	shift
	lab_must_be_up
	stage_find && stage_files
	id "$user" >/dev/null 2>&1 || fail "there is no user '$user': the lab has ${lab_users[*]}"
	home=$LAB/home/$user
	[ -d "$home" ] || home=/
	# The user may have no access to the caller's directory.
	cd "$home" || exit 1
	inside env HOME="$home" USER="$user" LOGNAME="$user" setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups "$@"
}

lab_shell() {
	lab_must_be_up
	stage_find && stage_files
	say 'exit leaves the shell; the lab stays up until lab down'
	inside env PS1='(lab) \w \$ ' bash --norc -i
}

# lab_vipu ARG...: control the emulated controller, without its faults.
lab_vipu() {
	lab_must_be_up
	[ -d "$LAB/vipu" ] || fail 'this lab has no IPU nodes, hence no V-IPU controller'
	"$LAB/emulator/emulate" --control "$LAB/vipu" "$@"
}

lab_status() {
	local name pid
	[ -e "$LAB/mark" ] || fail "there is no lab in $LAB"
	for name in "$LAB"/pids/*; do
		name=${name##*/}
		pid=$(process_of "$name") && printf '%-14s runs, process %s\n' "$name" "$pid" || printf '%-14s is not running\n' "$name"
	done
	process_of slurmctld >/dev/null || exit 1
	echo
	inside sinfo -o '%12P %16N %10T %24G'
	echo
	inside squeue
	inside scontrol show licenses
}

lab_logs() {
	[ -e "$LAB/mark" ] || fail "there is no lab in $LAB"
	if [ $# -gt 0 ]; then
		cat "$LAB/log/$1".* 2>/dev/null || fail "there is no log of '$1': $(cd "$LAB/log" && echo ./*)"
	else
		tail -n 40 "$LAB"/log/*
	fi
}
