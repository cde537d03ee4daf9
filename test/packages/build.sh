# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For roundtrip: build the packages and look at what is in them.

# packages_build: print the version of Slurm that they are for. Both kinds are built at once, because configure and autoreconf
# use one core. Nothing of the rpms is run, so they are not optimized.
packages_build() {
	local log=build-packages/log
	rm -rf build-packages && mkdir build-packages
	{ { [ configure -nt configure.ac ] || ./autogen.sh; } && cd build-packages && ../configure &&
		DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$(nproc)" XZ_OPT=-1 make -j2 deb rpm \
			RPMFLAGS='--nodeps --define "debug_package %{nil}" --define "optflags -O0"'; } >$log 2>&1 || { tail -n 30 $log >&2 && return 1; }
	sed -n 's/^SLURM_VERSION = //p' Makefile
}

# packages_check SLURM: dependencies, lintian, rpmlint, and the lists of files.
packages_check() {
	local deb=build-packages/packages/deb rpm=build-packages/packages/rpm major next tag same
	major=$(cut -d. -f1,2 <<<"$1")
	next=$(awk -F. '{ printf "%d.%02d", $1, $2 + 1 }' <<<"$1")
	same="slurm-wlm-basic-plugins (>= $major), slurm-wlm-basic-plugins (<< $next~)"
	tag=sl${major/./}
	depends() { dpkg-deb -f "$deb/$1"_*."$tag"_*.deb Depends; }
	# needs NAME TEXT: the package depends on TEXT.
	needs() { grep -qF "$2" <<<"$(depends "$1")" || fail "$1 does not depend on $2, but on $(depends "$1")"; }
	needs tessera "$same"
	needs slurm-spank-tessera "$same"
	needs slurm-tessera-ctld "slurmctld (>= $1), slurmctld (<< $(awk -F. '{ printf "%d.%02d.%d", $1, $2, $3 + 1 }' <<<"$1")~)"
	needs tessera-vipu libcurl
	needs tessera-vipu libprotobuf-c
	for name in tessera slurm-spank-tessera slurm-tessera-ctld libtessera0 libtessera-dev; do
		! grep -qE 'libcurl|protobuf' <<<"$(depends "$name")" || fail "$name depends on $(depends "$name")"
	done
	for name in libtessera0 libtessera-dev tessera-vipu; do
		! grep -q slurm <<<"$(depends "$name")" || fail "$name depends on $(depends "$name")"
	done
	lintian --fail-on error "$deb"/*.changes || fail 'lintian finds errors'
	rpmlint -c test/packages/rpmlint.toml "$rpm"/{RPMS/*,SRPMS}/*.rpm tessera.spec >build-packages/rpmlint 2>&1 || true
	grep -q '7 packages and 1 specfiles checked; 0 errors,' build-packages/rpmlint ||
		fail "rpmlint finds errors: $(grep ' E: ' build-packages/rpmlint || tail -n 3 build-packages/rpmlint)"
	for name in "$rpm"/RPMS/*/*.rpm; do packages_rpm_list "$name"; done | diff test/packages/rpm.files - || fail 'the rpms have other files'
	requires() { rpm -qp --requires "$rpm"/RPMS/*/"$1-"[0-9]*.rpm; }
	for name in tessera slurm-spank-tessera; do
		is "what the rpm of $name requires" "slurm < $next slurm >= $major" "$(requires "$name" | grep '^slurm ' | sort | paste -sd' ')"
	done
	is 'what the rpm of slurm-tessera-ctld requires' "slurm-slurmctld = $1" "$(requires slurm-tessera-ctld | grep '^slurm')"
}

# packages_rpm_list RPM: its name and its files. What depends on the release or the architecture is replaced: the tag of Slurm,
# LIB for the directory of libraries, VERSION, and the suffix of manual pages.
packages_rpm_list() {
	rpm -qp --qf '%{NAME} %{RELEASE}\n' "$1" | sed "s/$tag/TAG/"
	rpm -qlp "$1" | sed -E -e 's,^/usr/lib(64)?(/[a-z0-9_]+-linux-gnu)?/(lib|pkgconfig|slurm),LIB/\3,' \
		-e 's,-[0-9]+\.[0-9]+\.[0-9]+(/|$),-VERSION\1,' -e 's,(/man[0-9]/.*\.[0-9])\.[a-z0-9]+$,\1,' | grep -v '\.build-id' | LC_ALL=C sort
}

# packages_raise DEB...: the same packages as revision 2, in build-packages/next.
packages_raise() {
	local deb dir=build-packages/raise
	mkdir -p build-packages/next
	for deb in "$@"; do
		rm -rf $dir && dpkg-deb -R "$deb" $dir
		sed -i 's/-1\.sl/-2.sl/g' $dir/DEBIAN/control
		dpkg-deb --root-owner-group -Znone -b $dir build-packages/next >/dev/null
	done
}
