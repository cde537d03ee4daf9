#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera doctor finds nothing in a healthy cluster, and finds each broken setting, with the line to
# write.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

etc=$TESSERA_LAB/etc
dir=$TESSERA_LAB/broken
trap 'rm -rf "$dir"' EXIT

# anew: restore a healthy copy of the cluster's files.
anew() {
	rm -rf "$dir"
	mkdir "$dir"
	cp -p "$etc"/{slurm,gres,tessera,plugstack,cgroup}.conf "$dir"
	sed -i "s|^PlugStackConfig=.*|PlugStackConfig=$dir/plugstack.conf|" "$dir/slurm.conf"
	# slurmd is checked to be younger than this file.
	sed -i "s| conf=[^ ]*| conf=$dir/tessera.conf|" "$dir/plugstack.conf"
	touch -r "$etc/plugstack.conf" "$dir/plugstack.conf"
}
doctor() { env SLURM_CONF="$dir/slurm.conf" "$TESSERA_LAB/bin/tessera" doctor "$@"; }
# checks: the names of the checks that found something.
checks() { doctor --raw -o check 2>/dev/null | sed 1d | sort -u | xargs; }
# finds CHECK TEXT ADVICE: only CHECK finds something, with such a message and advice, and the exit
# code is 1. Restores the files.
finds() {
	local code=0 words
	words=$(doctor 2>&1) || code=$?
	is "the exit code for $1" 1 "$code"
	is "only the check $1 finds something" "$1" "$(checks)"
	like "the message of $1" "$2" "$words"
	like "the advice for $1" "^    (write|run): $3" "$words"
	anew
}
# edit FILE SCRIPT: edit with sed, which must change something.
edit() {
	sed "$2" "$dir/$1" >"$dir/new"
	! cmp -s "$dir/new" "$dir/$1" || fail "sed changed nothing in $1: $2"
	touch -r "$dir/$1" "$dir/new"
	mv "$dir/new" "$dir/$1"
}

# The health of all nodes has been queried.
for node in $(run sinfo -hN -o %N | sort -u); do fine run tessera health --node="$node" >/dev/null; done
anew
is 'doctor finds nothing in a healthy cluster' 'no problems found' "$(fine doctor)"
is 'the JSON list is empty' '[]' "$(fine doctor --json | tr -d ' \n')"
is 'doctor finds nothing in the files of the lab' 'no problems found' "$(run tessera doctor)"

# slurm.conf's keys.
edit slurm.conf 's/^GresTypes=rdu,rdu_tile,/GresTypes=rdu,/'
finds gres_types 'error: .*/slurm.conf: GresTypes lacks rdu_tile:' 'GresTypes=rdu,rdu_mem,ipu,rdu_tile$'
edit slurm.conf '/^GresTypes/d'
finds gres_types 'GresTypes lacks rdu,rdu_tile:' 'GresTypes=rdu,rdu_tile$'
edit slurm.conf '/^PrologFlags/d'
finds prolog_flags 'PrologFlags lacks Alloc' 'PrologFlags=Alloc$'
edit slurm.conf 's/^PrologFlags=.*/PrologFlags=Serial/'
is 'Serial does not include Alloc, and delays other prologs' 'prolog_flags prolog_serial' "$(checks)"
like 'the advice adds Alloc' 'write: PrologFlags=Serial,Alloc$' "$(doctor)"
anew
edit slurm.conf 's/^PrologFlags=.*/PrologFlags=Alloc,Serial/'
finds prolog_serial 'warning: .*PlaceWait is 60: a job that waits for tiles blocks all other prologs and epilogs' \
	'PrologFlags=Alloc, or PlaceWait = 0 in tessera.conf$'
for flag in contain NoHold DeferBatch; do
	edit slurm.conf "s/^PrologFlags=.*/PrologFlags=$flag/"
	is "$flag includes Alloc" '' "$(checks)"
	anew
done
edit slurm.conf '/^PropagateResourceLimits/d'
finds memlock 'limit of locked memory' 'PropagateResourceLimitsExcept=MEMLOCK$'
edit slurm.conf 's/^PropagateResourceLimitsExcept=.*/PropagateResourceLimitsExcept=NPROC/'
finds memlock 'limit of locked memory' 'PropagateResourceLimitsExcept=NPROC,MEMLOCK$'
edit slurm.conf 's/^PropagateResourceLimitsExcept=.*/PropagateResourceLimits=NONE/'
is 'limits that are not propagated need no exception' '' "$(checks)"
anew
edit slurm.conf 's/^JobSubmitPlugins=.*/JobSubmitPlugins=require_timelimit/'
finds job_submit 'error: .*JobSubmitPlugins lacks tessera' 'JobSubmitPlugins=require_timelimit,tessera$'
edit slurm.conf 's/^JobSubmitPlugins=.*/JobSubmitPlugins=lua/'
finds job_submit 'error: .*JobSubmitPlugins lacks tessera' 'JobSubmitPlugins=lua,tessera$'
edit slurm.conf 's/^JobSubmitPlugins=.*/JobSubmitPlugins=lua,tessera/'
is 'Lua beside tessera is accepted' '' "$(checks)"
anew
edit slurm.conf 's/^\(AccountingStorageTRES=.*\),license.csx/\1/'
finds accounting_tres 'warning: .*lacks license/csx' 'AccountingStorageTRES=gres/rdu,.*,license/csx$'

# Licenses. slurmctld still has those of its own slurm.conf, so the edit names one that it never
# had.
edit tessera.conf 's/^pool csx {/& License = wafer/'
edit slurm.conf 's|^AccountingStorageTRES=.*|&,license/wafer|'
is 'a license that is not defined is found' 'accounting_tres licenses' "$(checks)"
like 'the advice adds the license' 'write: Licenses=ipu:64,csx:2,wafer:2$' "$(doctor)"
like 'slurmctld lacks the license in AccountingStorageTRES' "warning: slurmctld: slurmctld runs without license/wafer in AccountingStorageTRES" "$(doctor)"
anew
edit slurm.conf 's/^Licenses=ipu:64/Licenses=ipu:32/'
finds licenses 'warning: .*has ipu:32, but tessera.conf has 64' 'ipu:64 in Licenses='
# Two controllers have two pools.
sed -n '/^vipu/,/^}/p' "$dir/tessera.conf" | sed 's/^vipu .*/vipu "gc-poplar-05" {/' >"$dir/other"
cat "$dir/other" >>"$dir/tessera.conf"
echo 'node "gc-poplar-05" { Platform = pod64 }' >>"$dir/tessera.conf"
edit slurm.conf 's/^NodeName=gc-poplar-04 .*/&\nNodeName=gc-poplar-05 Port=9/'
finds licenses 'has ipu:64, but tessera.conf has 128' 'ipu:128 in Licenses='
edit tessera.conf 's/Max = 2/Max = 3/'
finds licenses 'has csx:2, but tessera.conf has 3 csx' 'csx:3 in Licenses='

# Nodes and counts.
edit slurm.conf '/^NodeName=sn30-r1-h2/s/rdu_tile:64/rdu_tile:32/'
finds counts 'slurm.conf: node sn30-r1-h2 has rdu:8,rdu_tile:32 here, but platform sn30-8 has rdu:8,rdu_tile:64' 'NodeName=sn30-r1-h2 ... Gres=rdu:8,rdu_tile:64$'
edit gres.conf '/NodeName=sm-01 Name=rdu_tile/d'
finds counts 'gres.conf: node sm-01 has rdu:8,rdu_tile:0' 'NodeName=sm-01 Name=rdu_tile Count=32$'
edit gres.conf '/NodeName=sm-01 Name=rdu Count/s/.*/Include more.conf/'
echo 'NodeName=sm-[01-02] Name=rdu File=/dev/rdu[0-3] # half of it' >"$dir/more.conf"
finds counts 'gres.conf: node sm-01 has rdu:4,rdu_tile:32' 'NodeName=sm-01 Name=rdu Count=8$'
edit gres.conf '/Name=rdu Count/d'
echo 'Name=rdu Count=8' >>"$dir/gres.conf"
is 'a gres.conf line without NodeName counts for all nodes' '' "$(checks)"
anew
edit slurm.conf '/^NodeName=sn30/s/ Gres=[^ ]*//'
is 'missing Gres= is found' counts "$(checks)"
edit slurm.conf '0,/^NodeName/s/^NodeName/NodeName=DEFAULT Gres=rdu:8,rdu_tile:64\n&/'
is 'Gres= of NodeName=DEFAULT counts' '' "$(checks)"
anew
rm "$dir/gres.conf"
finds gres_conf 'gres.conf: No such file' 'the output of tessera conf'
edit tessera.conf 's/node "sm-01"/node "sm-[01-02]"/'
finds unknown_node 'node sm-02 is not in slurm.conf' 'NodeName=sm-02'
echo 'partition nonsuch { Platform = sn30-8 }' >>"$dir/tessera.conf"
finds unknown_partition 'partition nonsuch is not in slurm.conf' 'PartitionName=nonsuch'
edit slurm.conf '/^PartitionName=sn10/s/Nodes=sm-01/Nodes=sm-01,sn30-r1-h2/'
finds partition_platform 'partition sn10 has platform sn10-8, but its node sn30-r1-h2 has sn30-8' 'node "sn30-r1-h2" { Platform = sn10-8 }$'

# Installed files.
edit plugstack.conf 's/spank_tessera/other/'
finds plugstack 'no line loads spank_tessera.so' 'required .*/spank_tessera.so$'
edit plugstack.conf 's|.*|include stack/*.conf|'
mkdir "$dir/stack"
cp -p "$etc/plugstack.conf" "$dir/stack/tessera.conf"
is 'an included plugstack file is read' '' "$(checks)"
anew
touch -d '+1 hour' "$dir/plugstack.conf"
is 'a slurmd older than plugstack.conf is found' slurmd_age "$(checks)"
is 'it is found on each node' "$(run sinfo -hN -o %N | sort -u | xargs)" "$(doctor --raw -o where | sed 1d | sort | xargs)"
is '--node limits the check to that node' sm-01 "$(doctor --node=sm-01 --raw -o where | sed 1d)"
like 'the advice restarts slurmd' 'run: systemctl restart slurmd' "$(doctor)"
anew
# A plugin of another release: a copy whose four bytes with the version differ.
other_release() {
	/usr/bin/python3 - "$1" "$2" <<'PYTHON'
import subprocess, sys
path, kind = sys.argv[1:]
symbol = next(l.split() for l in subprocess.check_output(["nm", "-D", path], text=True).splitlines() if l.endswith(" plugin_version"))
data = bytearray(open(path, "rb").read())
at = int(symbol[0], 16)  # .rodata lies in the file where it lies in memory
version = int.from_bytes(data[at : at + 4], "little")
data[at : at + 4] = (version + (0x100 if kind == "minor" else 1)).to_bytes(4, "little")
open(path, "wb").write(data)
PYTHON
}
mkdir "$dir/lib"
cp "$TESSERA_LAB"/lib/*.so "$dir/lib"
edit slurm.conf "s|^PluginDir=$TESSERA_LAB/lib|PluginDir=$dir/lib|"
edit plugstack.conf "s|$TESSERA_LAB/lib|$dir/lib|"
is 'a copy of the plugin is accepted' '' "$(checks)"
mv "$dir/lib/tessera_conf.so" "$dir/lib/moved"
is 'a missing module for tessera.conf is found' conf_module "$(checks)"
like 'the message says that tessera.conf is not read' "error: $dir/lib/tessera_conf.so: No such file or directory: tessera.conf is not read" "$(doctor)"
mv "$dir/lib/moved" "$dir/lib/tessera_conf.so"
mv "$dir/lib/tessera_grant.so" "$dir/lib/moved"
is 'a missing module for grants is found' grant_module "$(checks)"
like 'the message says that jobs run without grants' "warning: $dir/lib/tessera_grant.so: No such file or directory: jobs run without" "$(doctor)"
mv "$dir/lib/moved" "$dir/lib/tessera_grant.so"
chmod o+w "$dir/lib/tessera_grant.so"
is 'a module that other users may write is found' grant_module "$(checks)"
like 'the advice changes owner and mode' "run: chown root $dir/lib/tessera_grant.so && chmod 755" "$(doctor)"
echo 'Grants = no' >>"$dir/tessera.conf"
is 'no module is needed with Grants = no' '' "$(checks)"
edit tessera.conf '/^Grants/d'
chmod o-w "$dir/lib/tessera_grant.so"
other_release "$dir/lib/spank_tessera.so" micro
is 'the SPANK plugin fits all versions of a release' '' "$(checks)"
other_release "$dir/lib/job_submit_tessera.so" micro
is 'job_submit_tessera.so fits its own version only' plugin_version "$(checks)"
like 'the message names both versions' 'job_submit_tessera.so: built for Slurm [0-9.]+, but Slurm [0-9.]+ is installed here' "$(doctor)"
rm "$dir/lib/job_submit_tessera.so"
is 'a missing plugin is found' plugin_missing "$(checks)"
cp "$TESSERA_LAB/lib/job_submit_tessera.so" "$dir/lib"
other_release "$dir/lib/spank_tessera.so" minor
is 'a plugin of another release is found' plugin_version "$(checks)"
like 'the message names both releases' 'spank_tessera.so: built for Slurm [0-9.]+, but Slurm [0-9.]+ is installed here and will not load it' "$(doctor)"
refused env SLURM_CONF="$dir/slurm.conf" srun -n1 true
# slurmctld may not run because of such a plugin.
edit slurm.conf "s/^SlurmctldPort=.*/SlurmctldPort=9/"
like 'also without slurmctld' 'spank_tessera.so: built for Slurm' "$(doctor 2>/dev/null)"
edit slurm.conf "s/^SlurmctldPort=.*/SlurmctldPort=$(<"$TESSERA_LAB/port")/"
echo nonsense >"$dir/lib/spank_tessera.so"
is 'a file that is not a plugin is found' plugin_version "$(checks)"
anew

# tessera.conf, StateDir, V-IPU.
edit tessera.conf '/^Unasked/d'
finds unasked 'warning: .*tessera.conf: partition sambanova has no Unasked: jobs that request no RDUs get no mask' \
	'Unasked = default in partition sambanova'
edit tessera.conf 's/^Unasked.*/Unasked = none/'
is 'an Unasked policy is accepted' '' "$(checks)"
anew
chmod 600 "$dir/tessera.conf"
finds conf_mode 'mode 600' 'chown root .*chmod 644'
chmod 666 "$dir/tessera.conf"
finds conf_mode 'mode is 666' 'chown root .*chmod 644'
echo 'Nonsense = 1' >>"$dir/tessera.conf"
finds conf "tessera.conf:[0-9]+: .*Nonsense" 'the output of tessera conf'
# The file as make install leaves it, with comments only.
cp "$top/etc/tessera.conf" "$dir"
finds conf 'error: .*/tessera.conf: describes no node, partition or pool' 'the output of tessera conf'
edit tessera.conf "s|^StateDir.*|StateDir = \"$dir/state\"|"
install -d -m 777 "$dir/state"
finds state_dir 'StateDir .*/state: its mode is 777' 'chown root .*chmod 755'
edit tessera.conf "s|^StateDir.*|StateDir = \"$dir/no/such\"|"
finds state_dir 'does not exist: Tessera only creates the last directory' 'mkdir -p'
edit tessera.conf 's/Port = .*/Port = 1/'
finds vipu 'query of the V-IPU controller of gc-poplar-02 failed' '.*tessera-vipu .*version$'

# Health tools: a missing program, a node that was never queried, and a cache that cannot be read.
edit tessera.conf 's|^SnfadmCommand = .*|SnfadmCommand = "/nowhere/snfadm -l inventory"|'
finds health_tool 'warning: .*SnfadmCommand: /nowhere/snfadm: No such file' 'SnfadmCommand = "PATH" of the installed tool, or ""'
cache=$TESSERA_LAB/state/sm-01/health
sed -i 's/\(source snfadm time\) [0-9]*/\1 1/' "$cache"
finds health 'warning: sm-01: snfadm has no result newer than HealthMax' 'systemctl enable --now tessera-health.timer on sm-01'
echo 'nonsense' >"$cache"
finds health 'sm-01: .*state/sm-01/health:1: not a health file' 'tessera health$'
rm "$cache"
finds health 'sm-01: snconfig has not been queried successfully yet' 'systemctl'
fine run tessera health --node=sm-01 >/dev/null
sed -i 's/\(source snfadm time\) [0-9]*/\1 99999999999/' "$cache"
finds health 'warning: sm-01: snfadm has a result with a time in the future' 'systemctl'
fine run tessera health --node=sm-01 >/dev/null
marks=$TESSERA_LAB/marks/sm-01/marks
mkdir -p "${marks%/*}"
echo 'nonsense' >"$marks"
finds marks 'error: sm-01: .*marks/sm-01/marks:1: not a marks file' "rm $marks, then tessera mark --node=sm-01 TILES bad"
rm "$marks"

# Leftovers of jobs on a node, and a node that is down.
ledger=$TESSERA_LAB/state/sm-01/ledger
[ ! -e "$ledger" ] || mv "$ledger" "$dir/../ledger.kept"
echo 'nonsense' >"$ledger"
finds ledger 'error: sm-01: no job gets tiles here: .*state/sm-01/ledger:1: not a ledger' \
	"scancel --nodelist=sm-01, then rm $ledger && systemctl restart slurmd\$"
rm "$ledger"
[ ! -e "$dir/../ledger.kept" ] || mv "$dir/../ledger.kept" "$ledger"
table=$TESSERA_LAB/state/sm-01/locality
echo 'nonsense' >"$table"
finds locality 'warning: sm-01: cannot read the RDU locality table, .*state/sm-01/locality is damaged' 'tessera topology --write --node=sm-01$'
fine run tessera topology --write --node=sm-01
edit tessera.conf "s|^DeviceFiles.*|DeviceFiles = \"$TESSERA_LAB/dev/%n/nonsuch*\"|"
finds device_files "warning: sm-01: DeviceFiles = $TESSERA_LAB/dev/sm-01/nonsuch\* matches no file" 'DeviceFiles = "PATTERN"'
edit tessera.conf 's|^DeviceFiles.*|DeviceFiles = ""|'
is 'no node is named' '' "$(checks)"
anew
fine run scontrol update NodeName=sm-01 State=DOWN Reason='broken fan'
finds node_down 'warning: sm-01: the node is down in slurmctld, no job starts there: broken fan' \
	'scontrol update NodeName=sm-01 State=RESUME'
fine run scontrol update NodeName=sm-01 State=RESUME
up() { [ "$(run sinfo -hn sm-01 -o %t | sort -u)" = idle ]; }
await 'the node is up again' up

# munged is not running.
edit tessera.conf "s|^MungeSocket.*|MungeSocket = \"$dir/none\"|"
finds munged "warning: .*jobs run without TESSERA_GRANT: .*$dir/none" 'systemctl start munge'

# A libmunge that ends the process counts as no answer.
fine cc -shared -fPIC -o "$dir/munge_dies.so" "$top/test/cluster/munge_dies.c" -ldl
is 'the end of the process is found' munged "$(LD_PRELOAD="$dir/munge_dies.so" checks)"
like 'the message says that libmunge died' 'jobs run without TESSERA_GRANT: libmunge crashed' "$(LD_PRELOAD="$dir/munge_dies.so" doctor)"

# What cannot be checked gives exit code 3; the other findings are still printed.
edit slurm.conf 's/^SlurmctldPort=.*/SlurmctldPort=1/; s/^MessageTimeout=.*/MessageTimeout=2/; s/^GresTypes.*//'
code=0
said=$(doctor 2>&1) || code=$?
is 'the exit code is 3 without slurmctld' 3 "$code"
like 'the message says that slurmctld does not answer' 'cannot check: slurmctld does not respond' "$said"
like 'the other findings are printed' 'GresTypes lacks' "$said"
is 'no other check finds something' gres_types "$(checks)"
anew
# The reason, where slurm.conf shows one: settings with which slurmctld does not start.
edit slurm.conf 's/^SlurmctldPort=.*/SlurmctldPort=1/; s/^MessageTimeout=.*/MessageTimeout=2/; s/^AccountingStorageType=.*//'
is 'TRES without slurmdbd are found' accounting_tres "$(checks)"
like 'the message says that slurmctld does not start' 'error: .*slurm.conf: slurmctld cannot start: AccountingStorageTRES has gres/rdu,.*license/csx, .*slurmdbd' "$(doctor 2>&1)"
like 'the advice names both ways out' 'write: AccountingStorageType=accounting_storage/slurmdbd, or remove AccountingStorageTRES$' "$(doctor 2>&1)"
anew
mkdir "$dir/lib"
cp "$TESSERA_LAB"/lib/*.so "$dir/lib"
rm "$dir/lib/job_submit_tessera.so"
edit plugstack.conf "s|$TESSERA_LAB/lib|$dir/lib|"
edit slurm.conf "s|^PluginDir=$TESSERA_LAB/lib|PluginDir=$dir/lib|; s/^SlurmctldPort=.*/SlurmctldPort=1/; s/^MessageTimeout=.*/MessageTimeout=2/"
is 'a missing plugin is found without slurmctld' plugin_missing "$(checks)"
like 'the message says that slurmctld does not start' 'slurmctld cannot start: JobSubmitPlugins has tessera, but job_submit_tessera.so' "$(doctor 2>&1)"
anew
code=0
env SLURM_CONF="$dir/nonsuch.conf" "$TESSERA_LAB/bin/tessera" doctor --conf="$dir/tessera.conf" >/dev/null 2>&1 || code=$?
is 'the exit code is 3 without slurm.conf' 3 "$code"
echo 'Nonsense=1' >>"$dir/slurm.conf"
is 'a slurm.conf that Slurm cannot read is found' slurm_conf "$(checks)"
like 'the message has the error of Slurm' 'Slurm cannot read it: .*Nonsense' "$(doctor 2>&1)"
anew
# doctor has a deadline for Slurm's library.
echo '#include <unistd.h>
void slurm_init(const char *conf) { (void)conf; pause(); }' >"$dir/init_hangs.c"
fine cc -shared -fPIC -o "$dir/init_hangs.so" "$dir/init_hangs.c"
said=$(SLURM_CONF="$dir/slurm.conf" LD_PRELOAD="$dir/init_hangs.so" timeout 60 "$TESSERA_LAB/bin/tessera" doctor 2>&1)
like 'the message says that the library timed out' 'Slurm cannot read it: timed out' "$said"
code=0
doctor -o nonsense >/dev/null 2>&1 || code=$?
is 'the exit code is 2 for an unknown column' 2 "$code"

# No privilege is needed.
chmod -R a+rX "$dir"
is 'a user may run doctor' 'no problems found' "$(ann env SLURM_CONF="$dir/slurm.conf" tessera doctor)"
