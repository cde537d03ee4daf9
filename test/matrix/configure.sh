#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# When a dependency is missing, configure names its Debian package.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
top=$PWD
bad=0

# says PACKAGE WHY CONFIGURE-ARGUMENT...
says() {
	local package=$1 why=$2 out
	shift 2
	out=$(cd "$work" && "$top/configure" "$@" 2>&1) && echo "configure passed: $why" && bad=1
	grep -q "apt-get install .*$package" <<<"$out" || { echo "$package is not named: $why: $(tail -n 1 <<<"$out")" && bad=1; }
}

says libconfuse-dev 'no pkg-config files' PKG_CONFIG_LIBDIR="$work" PKG_CONFIG_PATH="$work"
says pkg-config 'no pkg-config' PKG_CONFIG="$work/none" ac_cv_path_PKG_CONFIG=
says libslurm-dev 'no headers' ac_cv_header_slurm_spank_h=no
says protobuf-c-compiler 'no protoc-c' ac_cv_path_PROTOC_C=
says clang 'fuzzing with gcc' CC=gcc --enable-fuzzing
mkdir "$work/bin"
# shellcheck disable=SC2016
printf '#!/bin/sh\nfor a; do [ "$a" = -print-multiarch ] && { echo nowhere; exit; }; done\nexec gcc "$@"\n' >"$work/bin/cc"
chmod +x "$work/bin/cc"
says slurm-wlm-basic-plugins 'no plugin directory' CC="$work/bin/cc"

# A plugin directory named with --with-slurm-plugindir is used unchanged.
(cd "$work" && "$top/configure" --with-slurm-plugindir=/opt/slurm/lib/slurm >/dev/null 2>&1 &&
	grep -qx 'slurmplugindir = /opt/slurm/lib/slurm' Makefile) || { echo '--with-slurm-plugindir is ignored' && bad=1; }
# Without libslurmfull.so there the command links libslurm.so, not the libslurmfull.so of another Slurm.
grep -qx 'SLURM_LIBS = -lslurm' "$work/Makefile" || { echo 'the command does not link libslurm.so' && bad=1; }
exit $bad
