# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For roundtrip: build the packages and look at what is in them.

# packages_build: print the version of Slurm that they are for.
packages_build() {
	local log=build-packages/log
	rm -rf build-packages && mkdir build-packages
	{ ./autogen.sh && cd build-packages && ../configure && DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$(nproc)" make deb &&
		make rpm RPMFLAGS='--nodeps --define "debug_package %{nil}"'; } >$log 2>&1 || { tail -n 30 $log >&2 && return 1; }
	sed -n 's/^SLURM_VERSION = //p' Makefile
}

# packages_check SLURM: dependencies, lintian, and the lists of files.
packages_check() {
	local deb=build-packages/packages/deb rpm=build-packages/packages/rpm/RPMS major tag
	major=$(cut -d. -f1,2 <<<"$1")
	tag=sl${major/./}
	depends() { dpkg-deb -f "$deb/$1"_*."$tag"_*.deb Depends; }
	grep -qF "slurm-wlm-basic-plugins (>= $major), slurm-wlm-basic-plugins (<< " <<<"$(depends slurm-spank-tessera)" ||
		fail "slurm-spank-tessera depends on $(depends slurm-spank-tessera)"
	grep -qF "slurmctld (>= $1), slurmctld (<< $major." <<<"$(depends slurm-tessera-ctld)" ||
		fail "slurm-tessera-ctld depends on $(depends slurm-tessera-ctld)"
	grep -q libcurl <<<"$(depends tessera-vipu)" || fail 'tessera-vipu does not depend on libcurl'
	for name in tessera slurm-spank-tessera slurm-tessera-ctld libtessera0 libtessera-dev; do
		! grep -qE 'libcurl|protobuf' <<<"$(depends "$name")" || fail "$name depends on $(depends "$name")"
	done
	lintian --fail-on error "$deb"/*.changes || fail 'lintian finds errors'
	packages_rpm_files | diff - <(for name in "$rpm"/*/*.rpm; do
		rpm -qp --qf '%{NAME}-%{RELEASE}\n' "$name" && rpm -qlp "$name"
	done | sed -E -e 's,/usr/lib[^ ]*/slurm/,PLUGINS/,' -e 's,/usr/lib(64)?(/[a-z0-9_]+-linux-gnu)?/(lib|pkgconfig),LIB/\3,' |
		grep -vE '/(doc|licenses|man)/|/include/|\.build-id') || fail 'the rpms have other files'
}

# What each rpm has, besides manual pages, headers and the license; $tag is that of packages_check.
packages_rpm_files() {
	cat <<-FILES
		libtessera-devel-1.$tag
		LIB/libtessera.so
		LIB/pkgconfig/libtessera.pc
		libtessera0-1.$tag
		LIB/libtessera.so.0
		LIB/libtessera.so.0.0.0
		slurm-spank-tessera-1.$tag
		PLUGINS/spank_tessera.so
		PLUGINS/tessera_conf.so
		PLUGINS/tessera_grant.so
		/usr/share/tessera
		/usr/share/tessera/plugstack.conf.d
		/usr/share/tessera/plugstack.conf.d/tessera.conf
		slurm-tessera-ctld-1.$tag
		PLUGINS/job_submit_tessera.so
		tessera-1.$tag
		/etc/slurm/tessera.conf
		/usr/bin/tessera
		/usr/lib/systemd/system/tessera-health.service
		/usr/lib/systemd/system/tessera-health.timer
		/usr/lib/systemd/system/tessera-reap.service
		/usr/lib/systemd/system/tessera-reap.timer
		/usr/lib/systemd/system/tessera-sample.service
		/usr/lib/systemd/system/tessera-sample.timer
		/usr/share/bash-completion/completions/tessera
		tessera-vipu-1.$tag
		/usr/libexec/tessera
		/usr/libexec/tessera/tessera-vipu
	FILES
}

# packages_raise DEB...: the same packages as revision 2, in build-packages/next.
packages_raise() {
	local deb dir=build-packages/raise
	mkdir -p build-packages/next
	for deb in "$@"; do
		rm -rf $dir && dpkg-deb -R "$deb" $dir
		sed -i 's/-1\.sl/-2.sl/g' $dir/DEBIAN/control
		dpkg-deb --root-owner-group -b $dir build-packages/next >/dev/null
	done
}
