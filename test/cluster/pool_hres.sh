#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Hierarchical resources: resources.yaml counts IPUs in layers, and each layer is a license record of
# the same name. tessera pool, status and doctor count them as Slurm does, in each of its modes, and
# jobs have their partitions.
. "$(dirname "$0")/lib.sh"
needs_slurm 25.05

yaml=$TESSERA_LAB/etc/resources.yaml
trap 'run scancel --quiet -u tess-ann; rm -f "$yaml"; restore_slurm_conf' EXIT

# layers MODE NODES:COUNT...: resources.yaml, with the layers of ipu.
layers() {
	local layer
	printf '%s\n' '- resource: ipu' "  mode: MODE_$1" '  layers:'
	shift
	for layer in "$@"; do
		printf '    - nodes: ["%s"]\n      count: %s\n' "${layer%:*}" "${layer##*:}"
	done
}
records() { run scontrol -o show license | sed -nE 's/^LicenseName=ipu Total=([0-9]+) .*Mode=([0-9]).*/\2 \1/p' | sort; }
# use MODE NODES:COUNT...: Slurm counts IPUs in these layers.
use() {
	local mode=$1 wanted
	layers "$@" >"$yaml"
	edit_slurm_conf 's/^Licenses=.*/Licenses=csx:2/'
	shift
	wanted=$(printf "$mode %s\n" "${@##*:}" | sort)
	await "slurmctld has the layers $*" eval '[ "$(records)" = "$wanted" ]'
}
# license_findings: what doctor says about licenses.
license_findings() { run tessera doctor --raw -o check,text 2>/dev/null | sed -n '/^licenses /s/\\x20/ /gp'; }
# counts WHAT HELD TOTAL: a job on one node, one over two nodes; HELD is what Slurm counts for them.
counts() {
	local one two
	one=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 -o /dev/null --wrap 'sleep 600')
	two=$(ann sbatch --parsable -p p64 -w 'gc-poplar-[03-04]' -N2 --ipus=8 -o /dev/null --wrap 'sleep 600')
	reaches "$one" RUNNING
	reaches "$two" RUNNING
	await "$1: the first job has its partition" eval "vipu list | grep -qx 'slurm_$one 4 ACTIVE'"
	await "$1: the second job has its partition" eval "vipu list | grep -qx 'slurm_$two 8 ACTIVE'"
	is "$1: pool" "ipu: $2 of $3 held, $(($3 - $2)) free" "$(ann tessera pool | grep '^ipu:')"
	like "$1: status" " $2 of $3 ipus held" "$(ann tessera status --all)"
	is "$1: status has one line for all layers" 1 "$(ann tessera status --all | grep -c ' of .* ipus held')"
	fine run scancel "$one" "$two"
	await "$1: both partitions are gone" no_partitions
}

# A job takes its IPUs from one layer: they add up.
use 1 'gc-poplar-[02-04]:16' gc-poplar-02:16 'gc-poplar-[03-04]:32'
is 'mode 1: doctor' '' "$(license_findings)"
counts 'mode 1' 12 64

# It takes them from each layer that has its nodes: the widest counts.
use 2 'gc-poplar-[02-04]:64' gc-poplar-02:32 'gc-poplar-[03-04]:48'
is 'mode 2: doctor' '' "$(license_findings)"
counts 'mode 2' 12 64
use 2 gc-poplar-02:16 'gc-poplar-[03-04]:48'
is 'mode 2, layers side by side: doctor' '' "$(license_findings)"
counts 'mode 2, layers side by side' 12 64

# Slurm counts the job of two nodes twice.
use 3 'gc-poplar-[02-04]:64' gc-poplar-02:32 'gc-poplar-[03-04]:48'
like 'mode 3: doctor' 'MODE_3 for ipu: Slurm counts the IPUs of a job once for each of its nodes' "$(license_findings)"
counts 'mode 3' 20 64

use 1 gc-poplar-02:16 'gc-poplar-[03-04]:40'
like 'doctor finds a wrong sum' 'slurmctld has 56 licenses ipu, but tessera.conf has 64 IPUs' "$(license_findings)"
