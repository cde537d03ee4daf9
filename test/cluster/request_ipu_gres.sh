#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where each host has its own part of the IPU pool (IpuModel = gres), the same options ask for GRES.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"

export TESSERA_LAB=$TESSERA_LAB.gres
trap 'LAB_QUIET=1 "$lab" down 2>/dev/null' EXIT
fine "$lab" up --nodes sn30:1,ipu:2 --ipu-model=gres

good() {
	cat <<-'LIST'
		-p p64 --ipus=4                                 => gres:ipu:4 -
		-p p64 --gres=ipu:4                             => gres:ipu:4 -
		-p p64 --gres=ipu:4 --ipus=4                    => gres:ipu:4 -
		-p p64 -N2 --ipus=8                             => gres:ipu:4 -
		-p p64 -N2 --gres=ipu:4                         => gres:ipu:4 -
		-p p64 -N2 --gres=ipu:4 --ipus=8                => gres:ipu:4 -
		-p p64 -n4 --ipus=16 --ipu-gcds=4               => gres:ipu:16 -
		-p p64 --ipus=4 --csx=1                         => gres:ipu:4 csx:1
	LIST
}
bad() {
	cat <<-'LIST'
		-p p64 --ipus=3                                 => 3 IPUs are asked for
		-p p64 --ipus=4 --gres=ipu:2                    => --ipus=4 asks for 4 IPUs, --gres=ipu:2 for 2
		-p p64 --gres=ipu:8,ipu:8                       => --gres names ipu 2 times, .* name it once: ipu:16$
		-p p64 -N2 --ipus=1                             => 1 IPUs cannot be shared evenly by 2 nodes
		--ipus=4                                        => platform sn30-8 has no IPUs
	LIST
}
by_client() {
	local wanted=$1
	shift
	is "sbatch $*" "$wanted" "$(counts_by ann "$@")"
	is "the controller for $*" "$wanted" "$(counts_by plain_send "$@")"
}
each_request good by_client
by_refusal() {
	local wanted=$1
	shift
	refused ann srun "$@" true
	like "srun $*" "^srun: error: tessera: .*($wanted)" "$said"
	refused plain_srun "$@" true
	like "the controller on $*" "^srun: error: tessera: .*($wanted)" "$said"
}
each_request bad by_refusal

# Programs of users' own and slurmrestd send what they like. Slurm would count the last item: 2 on two nodes, and not 64.
fine cc -o "$TESSERA_LAB/submit" "$top/test/cluster/submit.c" -lslurm
refused ann "$TESSERA_LAB/submit" partition=p64 min_nodes=2 tres_per_node=gres:ipu:31,gres:ipu:1
like 'two items by the API' 'tessera: --gres names ipu 2 times, .* name it once: ipu:32$' "$said"

# What a host does not have it cannot give, and the queue says so at once.
refused ann sbatch -o /dev/null -p p64 --ipus=32 --wrap true
like 'more than a host has' 'Requested node configuration is not available' "$said"
