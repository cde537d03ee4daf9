# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copies of the built files that all users of the lab can read, since jobs run as users without access to a source
# tree below /root. The copies are updated before each command, so that `make` is enough to try a change.

staged_plugins=(spank_tessera.so job_submit_tessera.so tessera_conf.so tessera_grant.so)

# stage_find: set slurm_plugindir as configure found it.
stage_find() {
	local plugin
	slurm_plugindir=$(sed -n 's/^slurmplugindir = //p' "$BUILD/Makefile" 2>/dev/null | head -n 1)
	[ -n "$slurm_plugindir" ] || fail "$BUILD is not a build tree: run ./check or ./demo once, or name one with -b"
	for plugin in "${staged_plugins[@]}"; do
		[ -e "$BUILD/.libs/$plugin" ] || fail "$BUILD/.libs/$plugin is missing: run make there"
	done
}

stage_files() {
	local plugin
	mkdir -p "$LAB/lib" "$LAB/bin"
	for plugin in "${staged_plugins[@]}"; do stage_file "$BUILD/.libs/$plugin" "$LAB/lib/$plugin"; done
	stage_file "$BUILD/tessera" "$LAB/bin/tessera"
	[ ! -e "$BUILD/tessera-vipu" ] || stage_file "$BUILD/tessera-vipu" "$LAB/bin/tessera-vipu"
	stage_emulator
}

# The emulated V-IPU controller, and the stand-ins for the vendors' programs that jobs run.
stage_emulator() {
	local program new=$LAB/emulator.new.$$
	[ -d "$LAB/emulator" ] && diff -rqx vipu.proto "$lab_top/test/emulator" "$LAB/emulator" >/dev/null &&
		cmp -s "$lab_top/lib/vipu/vipu.proto" "$LAB/emulator/vipu.proto" && return 0
	cp -r "$lab_top/test/emulator" "$new" && cp "$lab_top/lib/vipu/vipu.proto" "$new" && chmod -R a+rX "$new" || return 1
	rm -rf "$LAB/emulator"
	mv -T "$new" "$LAB/emulator"
	for program in "$LAB"/emulator/bin/*; do ln -sf "../emulator/bin/${program##*/}" "$LAB/bin/${program##*/}"; done
}

# Replace by rename, so that a daemon keeps the old file that it has mapped.
stage_file() {
	cmp -s "$1" "$2" && return 0
	cp "$1" "$2.new" && chmod 755 "$2.new" && mv -f "$2.new" "$2"
}
