#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# On hosts without files of Slurm, tessera.conf is the one that slurmctld sends (23.11 and newer) or
# the one that conf= names; if there is neither, jobs and commands say where it was looked for.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

etc=$TESSERA_LAB/etc
node=sn30-r1-h2
cache=$TESSERA_LAB/spool/$node/conf-cache
server=127.0.0.1:$(<"$TESSERA_LAB/port")
saved=$TESSERA_LAB/saved
mkdir "$saved"
cp -p "$etc"/{slurm,plugstack,tessera}.conf "$saved"
restore() {
	local file
	for file in slurm plugstack tessera; do rewrite "$etc/$file.conf" cat "$saved/$file.conf"; done
	# tessera doctor compares its time with the start of each slurmd.
	touch -r "$saved/plugstack.conf" "$etc/plugstack.conf"
	rm -rf "$saved" "$etc/cli_filter.lua"
	"$lab" restart "$node" && "$lab" restart ctld
	rm -rf "$cache"
}
trap restore EXIT

# start_again: slurmctld and the node read the files anew; the node has none of its own.
start_again() {
	await 'no job is in the queue' no_jobs
	fine "$lab" restart ctld
	rm -rf "$cache"
	fine env LAB_CONFIGLESS=1 "$lab" restart "$node"
}
# from_nothing CMD...: as a user of a host where Slurm's files are only in the memory of each process.
from_nothing() { as_ann_bare env SLURM_CONF_SERVER="$server" "$@"; }
as_ann_bare() { "$top/test/lab/bare" "$TESSERA_LAB" setpriv --reuid=tess-ann --regid=tess-ann --clear-groups env -C / PATH="$TESSERA_LAB/bin:$PATH" "$@"; }
# on_node CMD...: on the node, as root.
on_node() {
	local pid
	read -r pid _ <"$TESSERA_LAB/pids/$node"
	nsenter -t "$pid" -m -r env -u SLURM_CONF PATH="$TESSERA_LAB/bin:$PATH" "$@"
}
mask=(printenv SF_RNT_TILE_AFFINITY)

# Nothing but plugstack.conf is sent, and it does not name the file.
sed -i '/^PlugStackConfig=/d; $ a SlurmctldParameters=enable_configless' "$etc/slurm.conf"
sed -i 's| conf=[^ ]*||' "$etc/plugstack.conf"
start_again
[ ! -e "$cache/tessera.conf" ] || fail 'slurmctld sends tessera.conf without being told to'
places="/etc/slurm/tessera.conf: No such file or directory, nor is there .*/run/slurm/conf/tessera.conf"
refused from_nothing srun -Q -w "$node" --gres=rdu:1 --tiles-per-task=2 "${mask[@]}"
like 'the client says where the file was looked for' "tessera: $places" "$said"
refused ann srun -Q -w "$node" --gres=rdu:1 "${mask[@]}"
like 'the job says where the node looked for the file' "tessera: /etc/slurm/tessera.conf: No such file or directory, nor is there $cache/tessera.conf or /run/slurm/conf/tessera.conf" "$said"
unlike 'the node is available' 'drain|down' "$(run sinfo -hn "$node" -o %T)"
refused on_node tessera status --node="$node"
like 'the command says where the file was looked for' "tessera: $places" "$said"

# plugstack.conf names it: the plugin and the command use that file.
sed -i "s|\$| conf=$etc/tessera.conf|" "$etc/plugstack.conf"
start_again
is 'the node reads the file of conf=' 0x00000000000000ff "$(ann srun -Q -w "$node" --gres=rdu:1 "${mask[@]}")"
is 'so does a client without files' 0x00000000000000ff "$(from_nothing srun -Q -w "$node" --gres=rdu:1 "${mask[@]}")"
like 'and the command on the node' ' free .* tiles ' "$(on_node tessera status --node="$node" --raw | sed 1d)"
like 'and the command of a client without files' '^ipu ' "$(from_nothing tessera pool --raw 2>&1 | sed 1d)"

slurm_since 23.11 || { echo 'the rest needs Slurm 23.11, which sends included files' && exit 0; }

# slurmctld sends it: a comment in a file that is sent includes it.
sed -i 's| conf=[^ ]*||' "$etc/plugstack.conf"
printf -- '--[[\nInclude tessera.conf\n]]\n' >"$etc/cli_filter.lua"
start_again
fine cmp "$etc/tessera.conf" "$cache/tessera.conf"
is 'the node reads what slurmctld sent' 0x00000000000000ff "$(ann srun -Q -w "$node" --gres=rdu:1 "${mask[@]}")"
is 'so does a client without files' 0x000000000000000f "$(from_nothing srun -Q -w "$node" --gres=rdu:1 --tiles-per-task=4 "${mask[@]}")"
is 'which has the options of pools' 1 "$(from_nothing srun -Q -w "$node" --csx=1 printenv TESSERA_CSX)"
like 'and the command on the node' ' free .* tiles ' "$(on_node tessera status --node="$node" --raw | sed 1d)"
like 'and the command of a client without files' '^ipu ' "$(from_nothing tessera pool --raw 2>&1 | sed 1d)"
unlike 'no daemon complains about the included file' 'tessera.conf|cli_filter' "$(grep -i error "$TESSERA_LAB"/log/{slurmctld,"$node"}.log | tail -n 20 | grep -v 'tessera: ')"

# A change comes with the next reconfiguration.
echo '# changed' >>"$etc/tessera.conf"
fine run scontrol reconfigure
await 'the node has the change' cmp -s "$etc/tessera.conf" "$cache/tessera.conf"
await 'the node is ready' sh -c "'$lab' run sinfo -hn $node -o %t | grep -qx idle"
is 'jobs run after it' 0x00000000000000ff "$(ann srun -Q -w "$node" --gres=rdu:1 "${mask[@]}")"
