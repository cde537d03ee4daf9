# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For roundtrip: a cluster of one node with Slurm's own paths, as the packages of the distribution install it.

slurm_prepare() {
	local host
	host=$(uname -n)
	host=${host%%.*}
	getent passwd tess-ann >/dev/null || useradd -m tess-ann
	mkdir -p /etc/slurm /var/log/slurm /var/spool/slurmd /var/spool/slurmctld
	install -d -o munge -g munge -m 755 /run/munge
	dd if=/dev/urandom bs=64 count=1 of=/etc/munge/munge.key status=none
	chown munge:munge /etc/munge/munge.key && chmod 400 /etc/munge/munge.key
	[ -e /etc/slurm/plugstack.conf ] || echo 'include /etc/slurm/plugstack.conf.d/*.conf' >/etc/slurm/plugstack.conf
	# slurmd must not search for cgroups: before 24.05 it does not with cgroup/v1, which is deprecated in 26.05.
	case $(slurmctld -V) in
	*' 22.'* | *' 23.'*) echo 'CgroupPlugin=cgroup/v1' ;;
	*) echo 'CgroupPlugin=disabled' ;;
	esac >/etc/slurm/cgroup.conf
	cat >/etc/slurm/slurm.conf <<-CONF
		ClusterName=packages
		SlurmctldHost=$host(127.0.0.1)
		SlurmUser=root
		StateSaveLocation=/var/spool/slurmctld
		SlurmdSpoolDir=/var/spool/slurmd
		SlurmctldPidFile=/run/slurmctld.pid
		SlurmdPidFile=/run/slurmd.pid
		SlurmctldLogFile=/var/log/slurm/slurmctld.log
		SlurmdLogFile=/var/log/slurm/slurmd.log
		SlurmdParameters=config_overrides
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		MpiDefault=none
		MailProg=/bin/true
		JobAcctGatherType=jobacct_gather/none
		ReturnToService=2
		PartitionName=sambanova Nodes=node1 Default=YES State=UP
		NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 CPUs=16
	CONF
}

# The lines of README, for one SN30.
slurm_with_tessera() {
	sed -i 's/^NodeName=.*/& Gres=rdu:8,rdu_tile:64/' /etc/slurm/slurm.conf
	printf '%s\n' GresTypes=rdu,rdu_tile PrologFlags=Alloc JobSubmitPlugins=tessera >>/etc/slurm/slurm.conf
	printf 'NodeName=node1 Name=%s Count=%d\n' rdu 8 rdu_tile 64 >/etc/slurm/gres.conf
	cat >/etc/slurm/tessera.conf <<-CONF
		Unasked = leave
		DeviceFiles = ""
		SntilestatCommand = ""
		SnfadmCommand = ""
		partition sambanova { Platform = sn30-8 }
		node node1 { Platform = sn30-8 }
	CONF
}

# The node is up for both, and what slurmctld knows of it is not older than this slurmd.
slurm_ready() { sinfo -hN -n node1 -t idle,mixed,alloc -o %T 2>/dev/null | grep -qE '^(idle|mixed|allocated)$'; }

slurm_start() {
	runuser -u munge -- munged
	slurmd_start
	slurmctld_start
}

slurmd_start() { slurmd -N node1; }
slurmctld_start() {
	slurmctld
	await 'the node is ready' slurm_ready
}

# slurm_end NAME: the daemon, not its children.
slurm_end() {
	local pid
	pid=$(cat "/run/$1.pid")
	kill "$pid"
	await "$1 ends" bash -c "! kill -0 $pid 2>/dev/null"
}

# A job whose end slurmctld does not hear of, because it ends itself, keeps the node completing for a minute.
slurm_settled() { [ -z "$(squeue -h -t completing)" ]; }

slurm_restart_ctld() {
	await 'no job is completing' slurm_settled
	slurm_end slurmctld
	slurmctld_start
}
# slurmd ends at once only while slurmctld answers: what it has to report, it tries for 9 s.
slurm_restart() {
	await 'no job is completing' slurm_settled
	slurm_end slurmd
	slurm_end slurmctld
	slurmd_start
	slurmctld_start
}
slurm_stop() {
	slurm_end slurmd
	slurm_end slurmctld
}
