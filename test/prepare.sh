# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Shared by ./demo and ./check: install missing packages, build, and show progress.

packages_build=(gcc make autoconf automake libtool pkg-config xz-utils libc6-dev libslurm-dev slurm-wlm-basic-plugins
	libconfuse-dev libhwloc-dev libmunge-dev libsmartcols-dev libjansson-dev libcurl4-openssl-dev libprotobuf-c-dev protobuf-c-compiler check)
packages_emulator=(python3-grpcio python3-protobuf protobuf-compiler openssl bsdutils) # with script, for terminals
packages_lab=(slurmctld slurmd slurm-client munge "${packages_emulator[@]}")
packages_db=(slurmdbd slurm-wlm-mysql-plugin mariadb-server-core mariadb-client-core)
packages_mpi=(mpich openmpi-bin) # side by side: mpirun.mpich, mpirun.openmpi
packages_lint=(clang-format clang-tidy cppcheck shellcheck mandoc ansible-core)
packages_packaging=(build-essential debhelper lintian rpm rpmlint)
packages_clang=(clang libclang-rt-dev) # with its sanitizer and fuzzer runtime

# stop: print the message and exit with 1.
stop() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

prepare_machine() {
	[ "$(id -u)" = 0 ] || stop 'run this as root: it installs packages and starts Slurm daemons'
	# shellcheck source=/dev/null
	(. /etc/os-release 2>/dev/null && case " $ID ${ID_LIKE:-} " in *' debian '*) ;; *) exit 1 ;; esac) ||
		stop 'this works on Debian (12 or newer): elsewhere install the packages that CONTRIBUTING.md lists, then ./configure and make'
}

# with_progress TEXT LOG CMD...: run CMD with its output in LOG, show the elapsed time, and return its exit code.
with_progress() {
	local text=$1 log=$2 pid start=$SECONDS
	shift 2
	mkdir -p "$(dirname "$log")"
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	if [ -t 2 ]; then
		while kill -0 "$pid" 2>/dev/null; do
			printf '\r\033[K%s ... %d s' "$text" $((SECONDS - start)) >&2
			sleep 0.2
		done
		printf '\r\033[K' >&2
	else
		[ "$SECONDS" -gt "$start" ] || printf '%s ...\n' "$text" >&2
	fi
	wait "$pid"
}

# install_packages NAME...: install the missing ones; without any the network is not used.
install_packages() {
	local missing=() package log=/tmp/tessera-install.$$.log
	for package in "$@"; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	# Daemons of the packages must not start: the lab has its own.
	local guard=/usr/sbin/policy-rc.d guarded=no
	[ -e "$guard" ] || { printf '#!/bin/sh\nexit 101\n' >"$guard" && chmod 755 "$guard" && guarded=yes; }
	with_progress "installing ${#missing[@]} packages: ${missing[*]}" "$log" apt_install "${missing[@]}"
	local status=$?
	[ "$guarded" = no ] || rm -f "$guard"
	[ "$status" = 0 ] || {
		tail -n 5 "$log" >&2
		stop "apt-get could not install ${missing[*]} (is there a network, and a Debian mirror in /etc/apt?); the whole log is $log"
	}
	rm -f "$log"
}

apt_install() {
	export DEBIAN_FRONTEND=noninteractive
	apt-get -qy update && apt-get -qy --no-install-recommends install "$@"
}

# build DIR [CONFIGURE ARGUMENT]...: configure once, then make everything with the tests.
build() {
	local dir=$1
	shift
	[ -x configure ] && [ configure -nt configure.ac ] || {
		with_progress 'creating configure' "$dir/autogen.log" ./autogen.sh || stop_with_log "$dir/autogen.log" 'autogen.sh failed'
	}
	[ -e "$dir/Makefile" ] || {
		with_progress "configuring $dir" "$dir/configure.log" build_configure "$dir" "$@" ||
			stop_with_log "$dir/configure.log" "configure failed in $dir"
	}
	with_progress "building $dir" "$dir/make.log" build_make "$dir" || stop_with_log "$dir/make.log" "make failed in $dir"
}

build_configure() { cd "$1" && shift && ../configure --enable-werror "$@"; }
build_make() { make -C "$1" -j"$(nproc)" all && make -C "$1" -j"$(nproc)" check TESTS=; }

stop_with_log() {
	grep -nE 'error|Error' "$1" | head -n 20 >&2
	tail -n 5 "$1" >&2
	stop "$2: the whole log is $1"
}
