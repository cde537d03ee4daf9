#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What tessera conf prints is a configuration that Slurm reads and in which tessera doctor finds nothing.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

etc=$TESSERA_LAB/etc
dir=$TESSERA_LAB/printed
trap 'rm -rf "$dir"' EXIT
mkdir "$dir"

# passes PLATFORM NODES [OPTION]...: the cluster's files without its accelerators, and what is printed for them.
passes() {
	local platform=$1 nodes=$2 file
	shift 2
	grep -vE '^(GresTypes|PrologFlags|JobSubmitPlugins|Propagate|Licenses|AccountingStorageTRES|NodeName|PartitionName)' "$etc/slurm.conf" >"$dir/slurm.conf"
	# This machine has no RDUs, and no tool to say what is bad.
	{ grep -E '^(StateDir|VipuHelper|MungeSocket|DeviceFiles)' "$etc/tessera.conf" && echo 'SnfadmCommand = ""'; } >"$dir/tessera.conf"
	: >"$dir/gres.conf"
	is 'an empty configuration does not pass' 1 "$(
		printf 'node "%s" { Platform = %s }\n' "$nodes" "$platform" >"$dir/lacking.conf"
		SLURM_CONF="$dir/slurm.conf" "$TESSERA_LAB/bin/tessera" doctor --conf="$dir/lacking.conf" >/dev/null 2>&1
		echo $?
	)"
	for file in slurm.conf gres.conf tessera.conf; do
		fine run tessera conf --platform="$platform" --nodes="$nodes" --for=$file "$@" >>"$dir/$file"
	done
	is "doctor of $platform" 'nothing is wrong' "$(SLURM_CONF="$dir/slurm.conf" "$TESSERA_LAB/bin/tessera" doctor 2>&1)"
}

passes sn30-8 'sn30-r1-h[1-2]' -p sambanova
passes sn10-8 sm-01
passes pod64 'gc-poplar-[02-04]'
like 'the licence' '^Licenses=ipu:64$' "$(cat "$dir/slurm.conf")"
unlike 'IPUs need no gres.conf' . "$(cat "$dir/gres.conf")"
like 'a controller that nobody named is a comment' '^#vipu "gc-poplar-' "$(cat "$dir/tessera.conf")"
