#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make install puts each file where Debian's Slurm expects it, and each object exports only what it must.
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
there "$root/usr/local/share/tessera/plugstack.conf.d/tessera.conf"
there "$root/etc/slurm/tessera.conf"
there "$root/usr/local/share/bash-completion/completions/tessera"
there "$root/usr/local/bin/tessera"
there "$root/usr/local/libexec/tessera/tessera-vipu"
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
grep -q "^required ${plugins#"$root"}/spank_tessera.so" "$root/usr/local/share/tessera/plugstack.conf.d/tessera.conf" ||
	complain 'the plugstack line does not name the installed plugin'
# An active line would stop srun and slurmd where the plugin is missing or of another release.
[ ! -e "$root/etc/slurm/plugstack.conf.d" ] || complain 'make install activates the plugin'

for command in reap sample; do
	grep -q "^ExecStart=/usr/local/bin/tessera $command\$" "$root/usr/local/lib/systemd/system/tessera-$command.service" ||
		complain "tessera-$command.service does not name the installed command"
done

# The timers have the names that tessera doctor prints.
if command -v systemctl >/dev/null; then
	for unit in reap health sample; do
		systemctl --root="$root" enable tessera-$unit.timer 2>"$root/said" || complain "systemd: $(cat "$root/said")"
		rm -f "$root/said" "$root/etc/systemd/system/timers.target.wants/tessera-$unit.timer"
	done
fi

# says TEXT WHAT: the last make printed TEXT.
says() { grep -qF -e "$1" "$root/log" || complain "make does not say $2: $1"; }
says 'restart slurmd on each node, then slurmctld' 'what to do after an install'
says 'slurmctld does not start if JobSubmitPlugins' 'what stops slurmctld'
snippet=/usr/local/share/tessera/plugstack.conf.d/tessera.conf
says "ln -s $snippet /etc/slurm/plugstack.conf.d/tessera.conf" 'how to activate the plugin'

# Files of the administrator survive a second install.
plugstack=$root/etc/slurm/plugstack.conf.d/tessera.conf
echo '# ours' >"$root/etc/slurm/tessera.conf"
mkdir -p "${plugstack%/*}"
echo '# our line' >"$plugstack"
make -C build install DESTDIR="$root" >"$root/log" 2>&1
grep -qx '# ours' "$root/etc/slurm/tessera.conf" || complain 'install wrote over the tessera.conf of the site'
grep -qx '# our line' "$plugstack" || complain 'install wrote over the plugstack.conf.d/tessera.conf of the site'
! grep -q 'is not active' "$root/log" || complain 'make says how to activate what is active'

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
# Slurm's plugins in the command's process need libslurmfull.so, which only Slurm's own directory has. A symbol of the
# command would replace the function of that name in there.
readelf -d "$root/usr/local/bin/tessera" | grep -q 'NEEDED.*\[libslurmfull\.so\]' || complain 'the command does not load libslurmfull.so'
readelf -d "$root/usr/local/bin/tessera" | grep -qE "R(UN)?PATH.*\[${plugins#"$root"}\]" || complain 'the command does not find libslurmfull.so'
nothing 'the command exports too much' "$(exports "$root/usr/local/bin/tessera" 'opt(arg|ind|opt)|std(err|out|in)')"
nothing 'only the command reads JSON' "$(readelf -d "$plugins"/*_tessera.so "$root/usr/local/lib/libtessera.so.0" | grep jansson || true)"
[ ! -u "$root/usr/local/libexec/tessera/tessera-vipu" ] || complain 'tessera-vipu is setuid'
for object in "$plugins"/*_tessera.so "$plugins/tessera_conf.so" "$plugins/tessera_grant.so" "$root/usr/local/lib/libtessera.so.0" "$root/usr/local/bin/tessera" \
	"$root/usr/local/libexec/tessera/tessera-vipu"; do
	readelf -d "$object" | grep -q BIND_NOW || complain "${object##*/} is not linked with -z now"
	readelf -lW "$object" | grep -q GNU_RELRO || complain "${object##*/} is not linked with -z relro"
done

# Another program finds the library and its headers with pkg-config.
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
[ "$(LD_LIBRARY_PATH=$root/usr/local/lib "$root/try")" = 0xff000000 ] || complain 'a program with libtessera prints another mask'

# The accounting library: records of two users, summed by user.
cat >"$root/sums.c" <<'PROGRAM'
#include <stdio.h>
#include <stdlib.h>
#include <tessera/tessera.h>
int main(void)
{
	static const struct tessera_usage_record records[] = {
		{.user = "ben", .job = "1", .start = 1000, .end = 1010, .counts = {.rdus = 1, .tiles = 4}},
		{.user = "ann", .job = "2", .start = 1000, .end = 1100, .counts = {.tiles = 2}},
		{.user = "ben", .job = "3", .start = 1000, .end = 1020, .counts = {.tiles = 1}},
	};
	struct tessera_error err = {0};
	struct tessera_usage *usage = tessera_usage_new(TESSERA_USAGE_BY_USER, 500, 2000, 2000, &err);
	const struct tessera_usage_row **rows;
	size_t count;
	if (usage == NULL)
		return 1;
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		if (tessera_usage_add(usage, &records[i], &err) != 1)
			return 1;
	if (tessera_usage_rows(usage, &rows, &count, &err) < 0)
		return 1;
	for (size_t i = 0; i < count; i++)
		printf("%s %llu %llu\n", rows[i]->user, (unsigned long long)rows[i]->jobs,
		       (unsigned long long)rows[i]->seconds.tiles);
	free(rows);
	tessera_usage_free(usage);
	return 0;
}
PROGRAM
cc -Wall -Werror "$root/sums.c" -o "$root/sums" "${flags[@]}"
[ "$(LD_LIBRARY_PATH=$root/usr/local/lib "$root/sums" | xargs)" = 'ann 1 200 ben 2 60' ] || complain 'a program sums up usage in another way'

# The example of the manual page compiles.
sed -n '/^#define _POSIX/,/^\.Ed/{/^\.Ed/q;s/\\e/\\/g;p}' "$root/usr/local/share/man/man3/libtessera.3" >"$root/launch.c"
cc -std=c11 -pedantic -Wall -Wextra -Werror "$root/launch.c" -o "$root/launch" "${flags[@]}"
code=0
said=$(env -u TESSERA_GRANT LD_LIBRARY_PATH="$root/usr/local/lib" "$root/launch" true 2>&1) || code=$?
case $code:$said in 10:*'there is no grant'*) ;; *) complain "the manual page's program ended with $code: $said" ;; esac

make -C build uninstall DESTDIR="$root" >"$root/log" 2>&1
says 'remove tessera from JobSubmitPlugins' 'what stops slurmctld'
# slurmd and srun do not start with a line that names a missing plugin.
[ ! -e "$plugstack" ] || complain 'uninstall leaves a line for a plugin that is not there any more'
says "$plugstack.saved" 'where it saved the line of the site'
grep -qx '# our line' "$plugstack.saved" || complain 'uninstall removed the line of the site'
rm "$plugstack.saved"

# The link that make install names goes too.
make -C build install DESTDIR="$root" >"$root/log" 2>&1
ln -s "$snippet" "$plugstack"
make -C build uninstall DESTDIR="$root" >"$root/log" 2>&1
[ ! -L "$plugstack" ] && [ ! -e "$plugstack.saved" ] || complain 'uninstall leaves the link to the line'
left=$(find "$root" -path "$root/etc/slurm/tessera.conf" -o -type f ! -path "$root/[a-z]*.c" ! -path "$root/log" ! -path "$root/try" ! -path "$root/launch" ! -path "$root/sums" -print)
nothing 'uninstall leaves behind' "$left"
exit $bad
