#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make install puts each file where Debian's Slurm looks for it, and each object shows only what it must.
set -eu
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
make -C build install DESTDIR="$root" >"$root/log" 2>&1 || { cat "$root/log" && exit 1; }

plugins=$root$(dirname "$(dpkg -L slurm-wlm-basic-plugins | grep '/auth_munge\.so$')")
bad=0
complain() { echo "$*" && bad=1; }
there() { [ -e "$1" ] || complain "not installed: ${1#"$root"}"; }

there "$plugins/spank_tessera.so"
there "$plugins/job_submit_tessera.so"
there "$plugins/tessera_grant.so"
there "$plugins/tessera_conf.so"
there "$root/etc/slurm/plugstack.conf.d/tessera.conf"
there "$root/etc/slurm/tessera.conf"
there "$root/usr/local/share/bash-completion/completions/tessera"
there "$root/usr/local/bin/tessera"
there "$root/usr/local/libexec/tessera/tessera-vipu"
there "$root/usr/local/share/tessera/job_submit.lua"
there "$root/usr/local/lib/systemd/system/tessera-health.service"
there "$root/usr/local/lib/systemd/system/tessera-health.timer"
there "$root/usr/local/lib/systemd/system/tessera-reap.service"
there "$root/usr/local/lib/systemd/system/tessera-reap.timer"
there "$root/usr/local/lib/systemd/system/tessera-sample.service"
there "$root/usr/local/lib/systemd/system/tessera-sample.timer"
there "$root/usr/local/lib/libtessera.so.0"
there "$root/usr/local/include/tessera/tessera.h"
there "$root/usr/local/share/man/man1/tessera.1"
there "$root/usr/local/share/man/man3/libtessera.3"
there "$root/usr/local/share/man/man3/tessera_grant_verify.3"
there "$root/usr/local/lib/pkgconfig/libtessera.pc"
there "$root/usr/local/share/man/man5/tessera.conf.5"
there "$root/usr/local/share/man/man8/spank_tessera.8"
there "$root/usr/local/share/man/man8/tessera-vipu.8"
[ -z "$(find "$plugins" -name '*.la')" ] || complain "libtool's notes are in Slurm's directory"
grep -qx '.so man3/libtessera.3' "$root/usr/local/share/man/man3/tessera_grant_verify.3" || complain 'no page has the name of the function'
grep -q "^required ${plugins#"$root"}/spank_tessera.so" "$root/etc/slurm/plugstack.conf.d/tessera.conf" ||
	complain 'the plugstack line does not name the installed plugin'

for command in reap sample; do
	grep -q "^ExecStart=/usr/local/bin/tessera $command\$" "$root/usr/local/lib/systemd/system/tessera-$command.service" ||
		complain "tessera-$command.service does not name the installed command"
done

# systemd finds the timers by their names, as tessera doctor says them.
if command -v systemctl >/dev/null; then
	for unit in reap health sample; do
		systemctl --root="$root" enable tessera-$unit.timer 2>"$root/said" || complain "systemd: $(cat "$root/said")"
		rm -f "$root/said" "$root/etc/systemd/system/timers.target.wants/tessera-$unit.timer"
	done
fi

# says TEXT WHAT: make printed TEXT since its output was last looked at.
says() { grep -qF -e "$1" "$root/log" || complain "make does not say $2: $1"; }
says 'restart slurmd on each node, then slurmctld' 'what to do after an install'
says 'slurmctld does not start while JobSubmitPlugins' 'what stops slurmctld'

# An admin's own files outlive a second install.
plugstack=$root/etc/slurm/plugstack.conf.d/tessera.conf
echo '# ours' >"$root/etc/slurm/tessera.conf"
echo '# our line' >"$plugstack"
make -C build install DESTDIR="$root" >"$root/log" 2>&1
grep -qx '# ours' "$root/etc/slurm/tessera.conf" || complain 'install wrote over the tessera.conf of the site'
grep -qx '# our line' "$plugstack" || complain 'install wrote over the plugstack.conf.d/tessera.conf of the site'
says "kept $plugstack" 'that it left a file as it was'

exports() { nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | grep -vxE "$2" || true; }
needs() { readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\].*/\1/p' | grep -vxE "$2" || true; }
nothing() { [ -z "$2" ] || complain "$1: $2"; }

nothing 'spank_tessera.so exports too much' "$(exports "$plugins/spank_tessera.so" 'plugin_[a-z]+|slurm_spank_[a-z_]+')"
nothing 'job_submit_tessera.so exports too much' "$(exports "$plugins/job_submit_tessera.so" 'plugin_[a-z]+|init|fini|job_submit|job_modify')"
nothing 'tessera_grant.so exports too much' "$(exports "$plugins/tessera_grant.so" tessera_grant_module_encode_within)"
nothing 'tessera_grant.so loads too much' "$(needs "$plugins/tessera_grant.so" 'libc\.so\.6|libmunge\.so\.2|ld-linux-.*')"
nothing 'tessera_conf.so exports too much' "$(exports "$plugins/tessera_conf.so" tessera_conf_module_read)"
nothing 'tessera_conf.so loads too much' "$(needs "$plugins/tessera_conf.so" 'libc\.so\.6|libconfuse\.so\.2|ld-linux-.*')"
nothing 'libtessera.so exports too much' "$(exports "$root/usr/local/lib/libtessera.so.0" 'tessera_[a-z_]+')"
nothing 'spank_tessera.so loads too much' "$(needs "$plugins/spank_tessera.so" 'libc\.so\.6|ld-linux-.*')"
nothing 'job_submit_tessera.so loads too much' "$(needs "$plugins/job_submit_tessera.so" 'libc\.so\.6|libconfuse\.so\.2|ld-linux-.*')"
nothing 'libtessera.so loads too much' "$(needs "$root/usr/local/lib/libtessera.so.0" 'libc\.so\.6|libconfuse\.so\.2|libmunge\.so\.2|ld-linux-.*')"
nothing 'the command loads what is for the helper' "$(readelf -d "$root/usr/local/bin/tessera" | grep -E 'libcurl|libprotobuf' || true)"
nothing 'only the command reads JSON' "$(readelf -d "$plugins"/*_tessera.so "$root/usr/local/lib/libtessera.so.0" | grep jansson || true)"
[ ! -u "$root/usr/local/libexec/tessera/tessera-vipu" ] || complain 'tessera-vipu is setuid'
for object in "$plugins"/*_tessera.so "$plugins/tessera_conf.so" "$plugins/tessera_grant.so" "$root/usr/local/lib/libtessera.so.0" "$root/usr/local/bin/tessera" \
	"$root/usr/local/libexec/tessera/tessera-vipu"; do
	readelf -d "$object" | grep -q BIND_NOW || complain "${object##*/} is not linked with -z now"
	readelf -lW "$object" | grep -q GNU_RELRO || complain "${object##*/} is not linked with -z relro"
done

# A program of somebody else's finds the library and its headers, as pkg-config says.
export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/usr/local/lib/pkgconfig
read -ra flags <<<"$(PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config --cflags --libs libtessera)"
cat >"$root/try.c" <<'PROGRAM'
#include <stdio.h>
#include <tessera/tessera.h>
int main(void)
{
	const struct tessera_platform *p = tessera_platform_find_builtin("sn10-8");
	struct tessera_tileset set;
	struct tessera_error err;
	char text[64];
	if (tessera_tileset_parse(p, "rdu6,rdu7", &set, &err) < 0)
		return 1;
	tessera_tileset_format(p, &set, TESSERA_FORM_MASK, text, sizeof(text));
	puts(text);
	return 0;
}
PROGRAM
cc -Wall -Werror "$root/try.c" -o "$root/try" "${flags[@]}"
[ "$(LD_LIBRARY_PATH=$root/usr/local/lib "$root/try")" = 0xff000000 ] || complain 'a program with libtessera says something else'

# The program of the manual page is one.
sed -n '/^#define _POSIX/,/^\.Ed/{/^\.Ed/q;s/\\e/\\/g;p}' "$root/usr/local/share/man/man3/libtessera.3" >"$root/launch.c"
cc -std=c11 -pedantic -Wall -Wextra -Werror "$root/launch.c" -o "$root/launch" "${flags[@]}"
code=0
said=$(env -u TESSERA_GRANT LD_LIBRARY_PATH="$root/usr/local/lib" "$root/launch" true 2>&1) || code=$?
case $code:$said in 10:*'there is no grant'*) ;; *) complain "the manual page's program ended with $code: $said" ;; esac

make -C build uninstall DESTDIR="$root" >"$root/log" 2>&1
says 'take tessera out of JobSubmitPlugins' 'what stops slurmctld'
# slurmd and srun do not start with a line that names a plugin which has gone.
[ ! -e "$plugstack" ] || complain 'uninstall leaves a line for a plugin that is not there any more'
says "$plugstack.saved" 'where it put the line of the site'
grep -qx '# our line' "$plugstack.saved" || complain 'uninstall removed the line of the site'
rm "$plugstack.saved"
left=$(find "$root" -path "$root/etc/slurm/tessera.conf" -o -type f ! -path "$root/[a-z]*.c" ! -path "$root/log" ! -path "$root/try" ! -path "$root/launch" -print)
nothing 'uninstall leaves behind' "$left"
exit $bad
