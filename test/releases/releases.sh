# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ./check releases: the unit tests and every scenario on each Slurm that Debian has, each in a root of its own.
# Roots are made by mmdebstrap from the archive that this machine uses, and kept outside the checkout for a week.

releases_roots=${TESSERA_ROOTS:-/var/cache/tessera/roots}
releases_days=7

# Slurm's release, and Debian's suite that has it.
releases_table() {
	cat <<-'TABLE'
		22.05 bookworm
		24.11 trixie
		26.05 forky
	TABLE
}

releases_suite() { releases_table | awk -v release="$1" '$1 == release { print $2 }'; }

# The archive that apt uses for this machine's own suite.
releases_archive() {
	local codename
	# shellcheck source=/dev/null
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $codename" | head -n 1
}

# What a root must have; when this changes, roots are made anew.
releases_packages() {
	printf '%s\n' "${packages_build[@]}" "${packages_lab[@]}" "${packages_db[@]}" "${packages_mpi[@]}" \
		python3 procps iproute2 | sort -u | paste -sd,
}

# releases_fresh ROOT: was it finished, with these packages, less than a week ago?
releases_fresh() {
	[ -e "$1/made" ] && [ "$(cat "$1/made")" = "$(releases_packages)" ] &&
		[ -z "$(find "$1/made" -mtime "+$((releases_days - 1))")" ]
}

# releases_make RELEASE SUITE: a root, if there is none that is fresh; not while another checkout makes or uses it.
releases_make() {
	releases_fresh "$releases_roots/$1" && return
	install_packages mmdebstrap iproute2
	mkdir -p "$releases_roots"
	(flock 9 && { releases_fresh "$releases_roots/$1" || releases_renew "$@"; }) 9>"$releases_roots/$1.lock"
}

# releases_renew RELEASE SUITE: `made` is written last.
releases_renew() {
	local dir=$releases_roots/$1 options=()
	rm -rf "$dir"
	mkdir -p "$dir"
	# The Release file of a suite that is not released yet may be out of date.
	[ "$2" != forky ] || options=(--aptopt='Acquire::Check-Valid-Until "false"')
	with_progress "making a root with Slurm $1 (Debian $2)" "$dir/make.log" mmdebstrap --variant=apt \
		--include="$(releases_packages)" "${options[@]}" "$2" "$dir/root" "$(releases_archive)" || {
		tail -n 5 "$dir/make.log" >&2
		return 1
	}
	releases_packages >"$dir/made"
}

# releases_work RELEASE: where the checkout is built for it. Two checkouts can use one root at the same time, each
# with a directory of its own.
releases_work() { echo "${TESSERA_RELEASE_WORK:-$releases_roots/$1}/work-$1"; }

# releases_copy RELEASE: the checkout's own files. Times stay, so that make builds only what changed.
releases_copy() {
	local to
	to=$(releases_work "$1")
	mkdir -p "$to"
	sources . | sort -u >"$to/.files.new"
	# A file that the checkout no longer has must not be there either.
	[ ! -e "$to/.files" ] || comm -23 "$to/.files" "$to/.files.new" | (cd "$to" && xargs -r -d '\n' rm -f)
	mv "$to/.files.new" "$to/.files"
	tar -cf - -T "$to/.files" --ignore-failed-read | tar -xf - -C "$to"
}

# releases_enter RELEASE CMD...: in the root, with namespaces of its own for mounts, processes and the network. unshare
# ignores signals that would end it, so the trap ends the first process of the namespace instead.
releases_enter() {
	local release=$1 root=$releases_roots/$1/root work status
	work=$(releases_work "$1")
	shift
	(
		flock --shared 9
		exec unshare --mount --pid --net --fork --kill-child bash "$PWD/test/releases/enter" "$root" "$work" "$@"
	) 9>>"$releases_roots/$release.lock" &
	# shellcheck disable=SC2064
	trap "kill -KILL $!" EXIT
	wait $!
	status=$?
	trap - EXIT
	return $status
}

# releases_here RELEASE: has this run of ./check tested this machine's own Slurm, and is it of that release? Prints how
# many tests passed and failed, and the seconds.
releases_here() {
	[ -z "$pattern" ] && [ "$(dpkg-query -W -f '${Version}' slurmctld 2>/dev/null | cut -d. -f1,2)" = "$1" ] &&
		awk '$1 == "unit" || $1 == "cluster" { parts++; passed += $2; failed += $3; seconds += $4 }
			END { if (parts == 2) print passed, failed, seconds; exit parts != 2 }' "$logs/parts"
}

# releases_inside RELEASE SUITE: unit tests and scenarios in the root; prints their lines as they end, and adds to passed
# and failed. Its figures are left in $row, as releases_here prints them.
releases_inside() {
	local start=$SECONDS log=$logs/release-$1.log count
	if releases_make "$1" "$2" && releases_copy "$1"; then
		(trap 'exit 130' INT TERM HUP && releases_enter "$1" ./check inside) 2>&1 | tee "$log" | grep --line-buffered -vE '^[0-9]+ passed, ' | sed -u 's/^/  /'
	else
		echo 'the root could not be made' >"$log"
	fi
	count=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log" | tail -n 1)
	# A run that did not come to its end has failed.
	[ -n "$count" ] || { count='0 1' && echo "releases $1" >>"$logs/failed"; }
	sed -n "s/^failed: /$1 /p" "$log" >>"$logs/failed"
	row="$count $((SECONDS - start))"
	passed=$((passed + ${count% *}))
	failed=$((failed + ${count#* }))
}

# releases_one RELEASE SUITE: its row of the table.
releases_one() {
	local row start
	printf '%s (Debian %s)\n' "$1" "$2"
	row=$(releases_here "$1") || releases_inside "$1" "$2"
	start=$SECONDS
	packages_row "$1" "$2"
	# shellcheck disable=SC2086
	printf '%-8s %-9s %7d %7d %8d %8s %8d\n' "$1" "$2" $row "$packages_result" $((SECONDS - start)) >>"$logs/releases"
}

# part_releases: all, or those that the command line names.
part_releases() {
	local release suite wanted=$releases
	: >"$logs/releases"
	[ -n "$wanted" ] || wanted=$(releases_table | cut -d' ' -f1)
	for release in $wanted; do
		suite=$(releases_suite "$release")
		[ -n "$suite" ] || stop "there is no release $release: write $(releases_table | cut -d' ' -f1 | paste -sd' ')"
		releases_one "$release" "$suite"
	done
	printf '\n%-8s %-9s %7s %7s %8s %8s %8s\n' Slurm Debian passed failed seconds packages seconds
	cat "$logs/releases"
}
