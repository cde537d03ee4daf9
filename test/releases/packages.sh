# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ./check packages: build the packages on each release, and install, upgrade and remove them beside a running Slurm.

# packages_tools RELEASE: what builds packages, in the root of the release, which several checkouts can use at once.
packages_tools() {
	local root=$releases_roots/$1/root log=$logs/packages-tools-$1.log
	(
		flock 9
		[ -e "$root/packaging" ] && [ "$(cat "$root/packaging")" = "${packages_packaging[*]}" ] && exit
		packages_install "$root" "${packages_packaging[@]}" >"$log" 2>&1 || { tail -n 20 "$log" && exit 1; }
		echo "${packages_packaging[*]}" >"$root/packaging"
	) 9>"$releases_roots/$1/packaging.lock"
}

# packages_install ROOT NAME...: with this machine's network.
packages_install() {
	unshare --mount bash -c '
		root=$1 && shift && mount --make-rprivate / && mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
		for file in resolv.conf hosts; do
			{ [ -e "$root/etc/$file" ] || : >"$root/etc/$file"; } && mount --bind "/etc/$file" "$root/etc/$file"
		done &&
		chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive sh -c "
			apt-get -qy -o Acquire::Check-Valid-Until=false update && apt-get -qy --no-install-recommends install $*"' \
		packages_install "$@"
}

# packages_one RELEASE: the root stays as it is.
packages_one() {
	packages_tools "$1" && releases_copy "$1" || return
	(export TESSERA_THROWAWAY=1 && trap 'exit 130' INT TERM HUP && releases_enter "$1" test/packages/roundtrip)
}

# packages_row RELEASE SUITE: for the table of ./check releases: run the round trip, unless PACKAGES=no, and set
# packages_result.
packages_row() {
	local pattern='' before=$failed
	packages_result=-
	[ "${PACKAGES:-yes}" != no ] || return 0
	releases_make "$1" "$2" || stop "the root of $1 could not be made"
	test_case packages "$1" packages_one "$1"
	[ "$failed" = "$before" ] && packages_result=ok || packages_result=FAIL
}

# part_packages: all releases, or those that the command line names.
part_packages() {
	local release wanted=$releases
	pattern=
	[ -n "$wanted" ] || wanted=$(releases_table | cut -d' ' -f1)
	for release in $wanted; do
		releases_make "$release" "$(releases_suite "$release")" || stop "the root of $release could not be made"
		test_case packages "$release" packages_one "$release"
	done
}
