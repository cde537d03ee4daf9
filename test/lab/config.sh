# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The configuration of the cluster: nodes named as in ALCF's user guides, with their accelerators.

# IPUs are licenses of the cluster or GRES of each host: lab up --ipu-model.
ipu_model=license
ipus_per_node=16

# What Slurm counts as an RDU of an SN30: a whole RDU, or half of one (sn30-half) as with SambaFlow before 1.17.
sn30_platform=sn30-8
sn30_rdus=8

# nodes_of KIND COUNT: the names of the first COUNT nodes of a kind.
nodes_of() {
	local i
	for ((i = 1; i <= $2; i++)); do
		case $1 in
		sn30) echo "sn30-r$(((i + 1) / 2))-h$(((i - 1) % 2 + 1))" ;;
		sn10) printf 'sm-%02d\n' "$i" ;;
		ipu) printf 'gc-poplar-%02d\n' $((i + 1)) ;; # 01 is not open to users there
		esac
	done
}

# config_nodes LIST: fill the arrays of node names from e.g. sn30:2,sn10:1,ipu:3.
config_nodes() {
	local item kind count
	sn30_nodes=() sn10_nodes=() ipu_nodes=()
	for item in ${1//,/ }; do
		kind=${item%%:*} count=${item#*:}
		case $count in '' | *[!0-9]*) fail "--nodes takes e.g. sn30:2,sn10:1,ipu:3, not '$item'" ;; esac
		case $kind in
		sn30) mapfile -t sn30_nodes < <(nodes_of sn30 "$count") ;;
		sn30-half)
			mapfile -t sn30_nodes < <(nodes_of sn30 "$count")
			sn30_platform=sn30-half sn30_rdus=16
			;;
		sn10) mapfile -t sn10_nodes < <(nodes_of sn10 "$count") ;;
		ipu) mapfile -t ipu_nodes < <(nodes_of ipu "$count") ;;
		*) fail "--nodes knows sn30, sn30-half, sn10 and ipu, not '$kind'" ;;
		esac
	done
	all_nodes=("${sn30_nodes[@]}" "${sn10_nodes[@]}" "${ipu_nodes[@]}")
	[ ${#all_nodes[@]} -gt 0 ] || fail "--nodes names no node: a cluster has at least one"
	[ ${#all_nodes[@]} -le $((port_vipu - 2)) ] ||
		fail "${#all_nodes[@]} nodes are too many for one lab: at most $((port_vipu - 2))"
}

# config_write DB: write all files below etc/.
config_write() {
	local base host
	base=$(<"$LAB/port")
	host=$(uname -n)
	host=${host%%.*}
	mkdir -p "$LAB/etc"
	{ config_slurm "$host" "$base" "$1" && config_slurm_nodes "$host" "$base"; } >"$LAB/etc/slurm.conf"
	config_gres >"$LAB/etc/gres.conf"
	config_tessera "$base" >"$LAB/etc/tessera.conf"
	config_cgroup >"$LAB/etc/cgroup.conf"
	echo "required $LAB/lib/spank_tessera.so conf=$LAB/etc/tessera.conf cache=$LAB/run" >"$LAB/etc/plugstack.conf"
	# The file in which the vendor's client finds its controller.
	[ ${#ipu_nodes[@]} -eq 0 ] ||
		printf 'api-host="127.0.0.1"\napi-port="%s"\n' $((base + port_vipu)) >"$LAB/etc/vipu-cli.hcl"
	if [ "$1" = db ]; then
		config_slurmdbd "$host" "$base" >"$LAB/etc/slurmdbd.conf"
		chmod 600 "$LAB/etc/slurmdbd.conf"
	fi
}

# Tessera needs no cgroups. slurmd must not search for them: before 24.05 it does not with cgroup/v1, which is deprecated
# in 26.05.
config_cgroup() {
	case $(slurmctld -V) in
	*' 22.'* | *' 23.'*) echo 'CgroupPlugin=cgroup/v1' ;;
	*) echo 'CgroupPlugin=disabled' ;;
	esac
}

config_slurm() {
	local host=$1 base=$2 db=$3 licenses=ipu:64,csx:2 auth
	# LAB_AUTH=slurm (24.05 and newer): no munged; see start_auth.
	auth=$(printf '%s\n' AuthType=auth/munge CredType=cred/munge "AuthInfo=socket=$LAB/run/munge.socket")
	[ "${LAB_AUTH:-munge}" = munge ] || auth=$(printf '%s\n' AuthType=auth/slurm CredType=auth/slurm)
	[ "$ipu_model" = license ] || licenses=csx:2
	cat <<-CONF
		ClusterName=lab
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$base
		SlurmUser=root
		SlurmdUser=root
		$auth
		StateSaveLocation=$LAB/spool/slurmctld
		SlurmdSpoolDir=$LAB/spool/%n
		SlurmctldPidFile=$LAB/run/slurmctld.pid
		SlurmdPidFile=$LAB/run/slurmd-%n.pid
		SlurmctldLogFile=$LAB/log/slurmctld.log
		SlurmdLogFile=$LAB/log/%n.log
		SlurmctldDebug=verbose
		SlurmdDebug=verbose
		PluginDir=$LAB/lib:$slurm_plugindir
		PlugStackConfig=$LAB/etc/plugstack.conf
		JobSubmitPlugins=tessera
		PrologFlags=Alloc
		PropagateResourceLimitsExcept=MEMLOCK

		# Nodes have 128 CPUs, whatever this machine has.
		SlurmdParameters=config_overrides
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		MpiDefault=none
		MailProg=/bin/true
		SwitchType=switch/none
		JobAcctGatherType=jobacct_gather/none

		# Short intervals, since the cluster is temporary.
		ReturnToService=2
		SchedulerParameters=bf_interval=2,batch_sched_delay=0,sched_min_interval=100000
		KillWait=5
		MessageTimeout=30
		InactiveLimit=0

		GresTypes=rdu,rdu_tile,rdu_mem,ipu
		Licenses=$licenses
	CONF
	if [ "$db" = db ]; then
		cat <<-CONF
			AccountingStorageType=accounting_storage/slurmdbd
			AccountingStorageHost=127.0.0.1
			AccountingStoragePort=$((base + 1))
			AccountingStoragePass=$LAB/run/munge.socket
			AccountingStorageTRES=gres/rdu,gres/rdu_tile,gres/ipu,license/ipu,license/csx
		CONF
	fi
}

config_slurm_nodes() {
	local host=$1 port=$(($2 + 2)) node gres
	echo
	for node in "${all_nodes[@]}"; do
		case $node in
		sn30-*) gres=" Gres=rdu:$sn30_rdus,rdu_tile:64,rdu_mem:1048576" ;;
		sm-*) gres=' Gres=rdu:8,rdu_tile:32' ;;
		*) [ "$ipu_model" = gres ] && gres=" Gres=ipu:$ipus_per_node" || gres='' ;;
		esac
		echo "NodeName=$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$port" \
			"Sockets=2 CoresPerSocket=64 ThreadsPerCore=1 RealMemory=1000000$gres"
		port=$((port + 1))
	done
	config_partition sambanova "${sn30_nodes[@]}"
	config_partition sn10 "${sn10_nodes[@]}"
	config_partition p64 "${ipu_nodes[@]}"
}

# config_partition NAME NODE...: the first partition that has nodes is the default.
config_partition() {
	local name=$1 default=NO nodes
	shift
	[ $# -gt 0 ] || return 0
	nodes="$*"
	[ "$1" = "${all_nodes[0]}" ] && default=YES
	echo "PartitionName=$name Nodes=${nodes// /,} Default=$default MaxTime=INFINITE State=UP"
}

config_gres() {
	local node
	for node in "${sn30_nodes[@]}"; do
		printf 'NodeName=%s Name=%s Count=%s\n' \
			"$node" rdu "$sn30_rdus" "$node" rdu_tile 64 "$node" rdu_mem 1048576
	done
	for node in "${sn10_nodes[@]}"; do
		printf 'NodeName=%s Name=%s Count=%s\n' "$node" rdu 8 "$node" rdu_tile 32
	done
	[ "$ipu_model" = gres ] || return 0
	for node in "${ipu_nodes[@]}"; do printf 'NodeName=%s Name=ipu Count=%s\n' "$node" "$ipus_per_node"; done
}

config_tessera() {
	# Each emulated node has its own StateDir, as a machine would.
	echo "StateDir = \"$LAB/state/%n\""
	echo 'PlaceWait = 60'
	# Jobs that request nothing must not be affected.
	echo 'Unasked = leave'
	echo "IpuModel = $ipu_model"
	echo "MungeSocket = \"$LAB/run/munge.socket\""
	# The vendors' tools are stand-ins, which report what the lab's processes record as their use.
	echo "SntilestatCommand = \"/usr/bin/env TESSERA_LAB=$LAB SLURMD_NODENAME=%n $LAB/bin/sntilestat\""
	echo "GcMonitorCommand = \"/usr/bin/env TESSERA_LAB=$LAB SLURMD_NODENAME=%n $LAB/bin/gc-monitor --json\""
	# The health tools are stand-ins too.
	echo "SnfadmCommand = \"/usr/bin/env TESSERA_LAB=$LAB SLURMD_NODENAME=%n $LAB/bin/snfadm -l inventory\""
	echo "SnconfigCommand = \"/usr/bin/env TESSERA_LAB=$LAB SLURMD_NODENAME=%n $LAB/bin/snconfig show Node dynamic\""
	echo 'SnconfigBad = "not perfect"'
	echo "IpuHealthCommand = \"/usr/bin/env TESSERA_LAB=$LAB SLURMD_NODENAME=%n $LAB/bin/check-ipus\""
	echo "MarksDir = \"$LAB/marks/%n\""
	# The device of each node is a file.
	echo "DeviceFiles = \"$LAB/dev/%n/rdu*\""
	# Two sockets with 64 cores each as in slurm.conf, whatever this machine has. Scenarios that need the place of the
	# RDUs set it themselves, since Slurm allocates cores of either socket.
	echo "TopologyCommand = \"$LAB/bin/tessera topology --write --node=%n --conf=$LAB/etc/tessera.conf" \
		"--xml=$lab_top/test/fixtures/topology/two-sockets.xml\""
	[ "$sn30_platform" != sn30-half ] || echo 'platform sn30-half { Like = sn30-8 TilesPerGres = 4 }'
	config_tessera_of sambanova "$sn30_platform" "${sn30_nodes[@]}"
	config_tessera_of sn10 sn10-8 "${sn10_nodes[@]}"
	config_tessera_of p64 pod64 "${ipu_nodes[@]}"
	# Two systems that belong to no node. A site needs only this block to count them.
	echo 'pool csx { Max = 2 Variables = "TESSERA_CSX=%c" }'
	config_tessera_vipu $(($1 + port_vipu)) "${ipu_nodes[@]}"
}

config_tessera_of() {
	local partition=$1 platform=$2 nodes
	shift 2
	[ $# -gt 0 ] || return 0
	nodes="$*"
	echo "partition $partition { Platform = $platform }"
	echo "node \"${nodes// /,}\" { Platform = $platform }"
}

# config_tessera_vipu PORT NODE...: the controller that these nodes share.
config_tessera_vipu() {
	local port=$1 nodes
	shift
	[ $# -gt 0 ] || return 0
	nodes="$*"
	echo "VipuHelper = \"$LAB/bin/tessera-vipu\""
	printf 'vipu "%s" {\n\tHost = 127.0.0.1\n\tPort = %s\n}\n' "${nodes// /,}" "$port"
}

config_slurmdbd() {
	cat <<-CONF
		AuthType=auth/munge
		AuthInfo=socket=$LAB/run/munge.socket
		DbdHost=$1
		DbdAddr=127.0.0.1
		DbdPort=$(($2 + 1))
		SlurmUser=root
		LogFile=$LAB/log/slurmdbd.log
		PidFile=$LAB/run/slurmdbd.pid
		PluginDir=$slurm_plugindir
		StorageType=accounting_storage/mysql
		StorageHost=localhost
		StorageUser=root
		StorageLoc=slurm_acct_db
	CONF
}
