#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera conf prints a configuration that Slurm can read and in which tessera doctor finds nothing.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

etc=$TESSERA_LAB/etc
dir=$TESSERA_LAB/printed
trap 'rm -rf "$dir"' EXIT
mkdir "$dir"

# passes PLATFORM NODES [OPTION]...: take the cluster's files without its accelerators, append what
# tessera conf prints, and run tessera doctor on the result.
passes() {
	local platform=$1 nodes=$2 file
	shift 2
	grep -vE '^(GresTypes|PrologFlags|JobSubmitPlugins|Propagate|Licenses|AccountingStorageTRES|NodeName|PartitionName)' "$etc/slurm.conf" >"$dir/slurm.conf"
	# This machine has no RDUs, and no vendor tool for their health.
	{ grep -E '^(StateDir|VipuHelper|MungeSocket|DeviceFiles)' "$etc/tessera.conf" && echo 'SnfadmCommand = ""'; } >"$dir/tessera.conf"
	: >"$dir/gres.conf"
	is 'doctor finds errors before the lines are added' 1 "$(
		printf 'node "%s" { Platform = %s }\n' "$nodes" "$platform" >"$dir/lacking.conf"
		SLURM_CONF="$dir/slurm.conf" "$TESSERA_LAB/bin/tessera" doctor --conf="$dir/lacking.conf" >/dev/null 2>&1
		echo $?
	)"
	for file in slurm.conf gres.conf tessera.conf; do
		fine run tessera conf --platform="$platform" --nodes="$nodes" --for=$file "$@" >>"$dir/$file"
	done
	is "doctor finds nothing for $platform" 'no problems found' "$(SLURM_CONF="$dir/slurm.conf" "$TESSERA_LAB/bin/tessera" doctor --conf="$dir/tessera.conf" 2>&1)"
}

passes sn30-8 'sn30-r1-h[1-2]' -p sambanova
! slurm_since 23.02 || like 'jobs with --exclusive get only what they request' '^NodeName=.* Name=rdu Count=8 Flags=explicit$' "$(cat "$dir/gres.conf")"
passes sn10-8 sm-01
passes pod64 'gc-poplar-[02-04]'
like 'the license of the IPUs is printed' '^Licenses=ipu:64$' "$(cat "$dir/slurm.conf")"
unlike 'no gres.conf lines are printed for IPUs' . "$(cat "$dir/gres.conf")"
like 'the block of an unnamed controller is a comment' '^#vipu "gc-poplar-' "$(cat "$dir/tessera.conf")"

# tessera conf reads an existing slurm.conf: a second default partition would replace the first.
conf() { env SLURM_CONF="$dir/slurm.conf" "$TESSERA_LAB/bin/tessera" conf --nodes=sm-01 "$@"; }
cp "$etc/slurm.conf" "$dir/slurm.conf"
is 'no second default partition is printed' 'PartitionName=sn10-8 Nodes=sm-01' "$(conf --platform=sn10-8 --for=slurm.conf | grep ^PartitionName)"
like 'the TRES are printed where slurmdbd is configured' '^AccountingStorageTRES=gres/rdu,gres/rdu_tile$' "$(conf --platform=sn10-8 --for=slurm.conf)"
sed -i 's/Default=YES//; s/^AccountingStorageType=.*//' "$dir/slurm.conf"
is 'the first partition is the default' 'PartitionName=sn10-8 Nodes=sm-01 Default=YES' "$(conf --platform=sn10-8 --for=slurm.conf | grep ^PartitionName)"
like 'the TRES are a comment without slurmdbd' '^#AccountingStorageTRES=gres/rdu,gres/rdu_tile +# .*slurmdbd' "$(conf --platform=sn10-8 --for=slurm.conf)"
like 'the TRES of IPUs are a comment without slurmdbd' '^#AccountingStorageTRES=license/ipu +# .*slurmdbd' "$(conf --platform=pod64 --for=slurm.conf)"
rm "$dir/slurm.conf"
like 'the TRES are a comment without slurm.conf' '^#AccountingStorageTRES=' "$(conf --platform=sn10-8 --for=slurm.conf)"

# A cluster without slurmdbd starts with the printed lines, and has a default partition.
spare_port=$(($(<"$TESSERA_LAB/port") + 10))
grep -E '^(ClusterName|SlurmctldHost|SlurmUser|SlurmdUser|AuthType|CredType|AuthInfo|PluginDir|PlugStackConfig|Proctrack|MpiDefault|SelectType)' \
	"$etc/slurm.conf" >"$dir/slurm.conf"
cat >>"$dir/slurm.conf" <<CONF
SlurmctldPort=$spare_port
StateSaveLocation=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdParameters=config_overrides
CONF
for file in slurm.conf gres.conf tessera.conf; do
	conf --platform=sn30-8 -p sambanova --nodes='sn30-r1-h[1-2]' --for=$file >"$dir/$file.printed"
done
for file in slurm.conf gres.conf tessera.conf; do cat "$dir/$file.printed" >>"$dir/$file"; done
mkdir "$dir/spool"
env SLURM_CONF="$dir/slurm.conf" slurmctld -D -f "$dir/slurm.conf" >"$dir/slurmctld.out" 2>&1 &
slurmctld=$!
trap 'kill $slurmctld 2>/dev/null; wait $slurmctld; rm -rf "$dir"' EXIT
here() { env SLURM_CONF="$dir/slurm.conf" "$@"; }
answers_or_ended() { here scontrol ping 2>/dev/null | grep -q 'is UP' || ! kill -0 $slurmctld 2>/dev/null; }
await 'slurmctld answers or has ended' answers_or_ended
unlike 'slurmctld starts without a fatal error' fatal "$(grep -h fatal "$dir"/slurmctld.{log,out})"
is 'the default partition is the printed one' 'sambanova*' "$(here sinfo -ho %P | sort -u)"
