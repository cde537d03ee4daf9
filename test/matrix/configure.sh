#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# When something is missing, configure names the Debian package that brings it.
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
	grep -q "apt-get install .*$package" <<<"$out" || { echo "no word of $package: $why: $(tail -n 1 <<<"$out")" && bad=1; }
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

# And a plugin directory that the builder names is taken as it is.
(cd "$work" && "$top/configure" --with-slurm-plugindir=/opt/slurm/lib/slurm >/dev/null 2>&1 &&
	grep -qx 'slurmplugindir = /opt/slurm/lib/slurm' Makefile) || { echo '--with-slurm-plugindir is not obeyed' && bad=1; }
exit $bad
