#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# With a share of the IPU pool on each host (IpuModel = gres), the same options request GRES.
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
		-p p64 --ipus=3                                 => 3 IPUs requested
		-p p64 --ipus=4 --gres=ipu:2                    => --ipus=4 asks for 4 IPUs, --gres=ipu:2 for 2
		-p p64 --gres=ipu:8,ipu:8                       => --gres names ipu 2 times, .* name it once: ipu:16$
		-p p64 -N2 --ipus=1                             => 1 IPUs cannot be divided evenly among 2 nodes
		--ipus=4                                        => platform sn30-8 has no IPUs
	LIST
}
by_client() {
	local wanted=$1
	shift
	is "the request of sbatch $*" "$wanted" "$(counts_by ann "$@")"
	is "the request of the controller for $*" "$wanted" "$(counts_by plain_send "$@")"
}
each_request good by_client
by_refusal() {
	local wanted=$1
	shift
	refused ann srun "$@" true
	like "srun $* is refused" "^srun: error: tessera: .*($wanted)" "$said"
	refused plain_srun "$@" true
	like "the controller refuses $*" "^srun: error: tessera: .*($wanted)" "$said"
}
each_request bad by_refusal

# Programs with Slurm's API and slurmrestd can send anything. Slurm would count the last item: 2 on
# two nodes instead of 64.
fine cc -o "$TESSERA_LAB/submit" "$top/test/cluster/submit.c" -lslurm
refused ann "$TESSERA_LAB/submit" partition=p64 min_nodes=2 tres_per_node=gres:ipu:31,gres:ipu:1
like 'two items from the API are refused' 'tessera: --gres names ipu 2 times, .* name it once: ipu:32$' "$said"

# Slurm refuses at once what a host does not have.
refused ann sbatch -o /dev/null -p p64 --ipus=32 --wrap true
like 'more than a host has is refused' 'Requested node configuration is not available' "$said"
