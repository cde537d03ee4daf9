#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera doctor finds nothing in a healthy cluster, and each thing that is broken, with the line to write.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

etc=$TESSERA_LAB/etc
dir=$TESSERA_LAB/broken
trap 'rm -rf "$dir"' EXIT

# anew: a healthy copy of the cluster's files.
anew() {
	rm -rf "$dir"
	mkdir "$dir"
	cp -p "$etc"/{slurm,gres,tessera,plugstack,cgroup}.conf "$dir"
	sed -i "s|^PlugStackConfig=.*|PlugStackConfig=$dir/plugstack.conf|" "$dir/slurm.conf"
}
doctor() { env SLURM_CONF="$dir/slurm.conf" "$TESSERA_LAB/bin/tessera" doctor "$@"; }
# checks: the names of the checks that found something.
checks() { doctor --raw -o check 2>/dev/null | sed 1d | sort -u | xargs; }
# finds CHECK TEXT ADVICE: this check and no other, a sentence and an advice like that, and exit code 1.
finds() {
	local code=0 words
	words=$(doctor 2>&1) || code=$?
	is "the exit code for $1" 1 "$code"
	is "what is found for $1" "$1" "$(checks)"
	like "the sentence for $1" "$2" "$words"
	like "the advice for $1" "^    (write|run): $3" "$words"
	anew
}
# edit FILE SCRIPT: with sed; it must change something.
edit() {
	sed "$2" "$dir/$1" >"$dir/new"
	! cmp -s "$dir/new" "$dir/$1" || broken "nothing to break in $1: $2"
	touch -r "$dir/$1" "$dir/new"
	mv "$dir/new" "$dir/$1"
}

# Whose nodes were asked lately what is bad.
for node in $(run sinfo -hN -o %N | sort -u); do fine run tessera health --node="$node" >/dev/null; done
anew
is 'a healthy cluster' 'nothing is wrong' "$(fine doctor)"
is 'also for programs' '[]' "$(fine doctor --json | tr -d ' \n')"
is 'by its own files, too' 'nothing is wrong' "$(run tessera doctor)"

# slurm.conf's keys.
edit slurm.conf 's/^GresTypes=rdu,rdu_tile,/GresTypes=rdu,/'
finds gres_types 'error: .*/slurm.conf: GresTypes lacks rdu_tile:' 'GresTypes=rdu,rdu_mem,ipu,rdu_tile$'
edit slurm.conf '/^GresTypes/d'
finds gres_types 'GresTypes lacks rdu,rdu_tile:' 'GresTypes=rdu,rdu_tile$'
edit slurm.conf '/^PrologFlags/d'
finds prolog_flags 'PrologFlags lacks Alloc' 'PrologFlags=Alloc$'
edit slurm.conf 's/^PrologFlags=.*/PrologFlags=Serial/'
is 'Serial is no Alloc, and holds up others' 'prolog_flags prolog_serial' "$(checks)"
like 'and what to write' 'write: PrologFlags=Serial,Alloc$' "$(doctor)"
anew
edit slurm.conf 's/^PrologFlags=.*/PrologFlags=Alloc,Serial/'
finds prolog_serial 'warning: .*PlaceWait is 60: a job that waits for tiles holds up all other prologs and epilogs' \
	'PrologFlags=Alloc, or PlaceWait = 0 in tessera.conf$'
for flag in contain NoHold DeferBatch; do
	edit slurm.conf "s/^PrologFlags=.*/PrologFlags=$flag/"
	is "$flag brings Alloc along" '' "$(checks)"
	anew
done
edit slurm.conf '/^PropagateResourceLimits/d'
finds memlock 'limit of locked memory' 'PropagateResourceLimitsExcept=MEMLOCK$'
edit slurm.conf 's/^PropagateResourceLimitsExcept=.*/PropagateResourceLimitsExcept=NPROC/'
finds memlock 'limit of locked memory' 'PropagateResourceLimitsExcept=NPROC,MEMLOCK$'
edit slurm.conf 's/^PropagateResourceLimitsExcept=.*/PropagateResourceLimits=NONE/'
is 'nothing is propagated at all' '' "$(checks)"
anew
edit slurm.conf 's/^JobSubmitPlugins=.*/JobSubmitPlugins=require_timelimit/'
finds job_submit 'error: .*JobSubmitPlugins lacks tessera' 'JobSubmitPlugins=require_timelimit,tessera$'
edit slurm.conf 's/^JobSubmitPlugins=.*/JobSubmitPlugins=lua/'
finds job_submit 'error: .*JobSubmitPlugins lacks tessera' 'JobSubmitPlugins=lua,tessera$'
edit slurm.conf 's/^JobSubmitPlugins=.*/JobSubmitPlugins=lua,tessera/'
is 'Lua beside it' '' "$(checks)"
anew
edit slurm.conf 's/^\(AccountingStorageTRES=.*\),license.csx/\1/'
finds accounting_tres 'warning: .*lacks license/csx' 'AccountingStorageTRES=gres/rdu,.*,license/csx$'

# Licences. slurmctld still has those of its own slurm.conf, so one that it never had is named.
edit tessera.conf 's/^pool csx {/& License = wafer/'
edit slurm.conf 's|^AccountingStorageTRES=.*|&,license/wafer|'
is 'a licence that is nowhere' 'accounting_tres licenses' "$(checks)"
like 'and what to write' 'write: Licenses=ipu:64,csx:2,wafer:2$' "$(doctor)"
like 'what slurmctld runs with' "warning: slurmctld: slurmctld runs without license/wafer in AccountingStorageTRES" "$(doctor)"
anew
edit slurm.conf 's/^Licenses=ipu:64/Licenses=ipu:32/'
finds licenses 'warning: .*has ipu:32, but there are 64' 'ipu:64 in Licenses='
# Two controllers have two pools.
sed -n '/^vipu/,/^}/p' "$dir/tessera.conf" | sed 's/^vipu .*/vipu "gc-poplar-05" {/' >"$dir/other"
cat "$dir/other" >>"$dir/tessera.conf"
echo 'node "gc-poplar-05" { Platform = pod64 }' >>"$dir/tessera.conf"
edit slurm.conf 's/^NodeName=gc-poplar-04 .*/&\nNodeName=gc-poplar-05 Port=9/'
finds licenses 'has ipu:64, but there are 128' 'ipu:128 in Licenses='
edit tessera.conf 's/Max = 2/Max = 3/'
finds licenses 'has csx:2, but there are 3 of csx' 'csx:3 in Licenses='

# Nodes and counts.
edit slurm.conf '/^NodeName=sn30-r1-h2/s/rdu_tile:64/rdu_tile:32/'
finds counts 'slurm.conf: node sn30-r1-h2 has rdu:8,rdu_tile:32 there, but a node of sn30-8 has rdu:8,rdu_tile:64' 'NodeName=sn30-r1-h2 ... Gres=rdu:8,rdu_tile:64$'
edit gres.conf '/NodeName=sm-01 Name=rdu_tile/d'
finds counts 'gres.conf: node sm-01 has rdu:8,rdu_tile:0' 'NodeName=sm-01 Name=rdu_tile Count=32$'
edit gres.conf '/NodeName=sm-01 Name=rdu Count/s/.*/Include more.conf/'
echo 'NodeName=sm-[01-02] Name=rdu File=/dev/rdu[0-3] # half of it' >"$dir/more.conf"
finds counts 'gres.conf: node sm-01 has rdu:4,rdu_tile:32' 'NodeName=sm-01 Name=rdu Count=8$'
edit gres.conf '/Name=rdu Count/d'
echo 'Name=rdu Count=8' >>"$dir/gres.conf"
is 'a line for all nodes' '' "$(checks)"
anew
edit slurm.conf '/^NodeName=sn30/s/ Gres=[^ ]*//'
is 'nothing is given' counts "$(checks)"
edit slurm.conf '0,/^NodeName/s/^NodeName/NodeName=DEFAULT Gres=rdu:8,rdu_tile:64\n&/'
is 'but by default' '' "$(checks)"
anew
rm "$dir/gres.conf"
finds gres_conf 'gres.conf: No such file' 'what tessera conf'
edit tessera.conf 's/node "sm-01"/node "sm-[01-02]"/'
finds unknown_node 'node sm-02 is not in slurm.conf' 'NodeName=sm-02'
echo 'partition nonsuch { Platform = sn30-8 }' >>"$dir/tessera.conf"
finds unknown_partition 'partition nonsuch is not in slurm.conf' 'PartitionName=nonsuch'
edit slurm.conf '/^PartitionName=sn10/s/Nodes=sm-01/Nodes=sm-01,sn30-r1-h2/'
finds partition_platform 'partition sn10 is of sn10-8, but its node sn30-r1-h2 is of sn30-8' 'node "sn30-r1-h2" { Platform = sn10-8 }$'

# What is installed.
edit plugstack.conf 's/spank_tessera/other/'
finds plugstack 'no line has spank_tessera.so' 'required .*/spank_tessera.so$'
edit plugstack.conf 's|.*|include stack/*.conf|'
mkdir "$dir/stack"
cp -p "$etc/plugstack.conf" "$dir/stack/tessera.conf"
is 'an included file has it' '' "$(checks)"
anew
touch -d '+1 hour' "$dir/plugstack.conf"
is 'slurmd is older' slurmd_age "$(checks)"
is 'on each node' "$(run sinfo -hN -o %N | sort -u | xargs)" "$(doctor --raw -o where | sed 1d | sort | xargs)"
is 'or the one named' sm-01 "$(doctor --node=sm-01 --raw -o where | sed 1d)"
like 'and what to run' 'run: systemctl restart slurmd' "$(doctor)"
anew
# A plugin of another release: as this one, but for the four bytes that say so.
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
is 'a copy is as good' '' "$(checks)"
mv "$dir/lib/tessera_conf.so" "$dir/lib/moved"
is 'none that reads tessera.conf' conf_module "$(checks)"
like 'and what comes of it' "error: $dir/lib/tessera_conf.so: No such file or directory: tessera.conf is not read" "$(doctor)"
mv "$dir/lib/moved" "$dir/lib/tessera_conf.so"
mv "$dir/lib/tessera_grant.so" "$dir/lib/moved"
is 'none that makes grants' grant_module "$(checks)"
like 'and where it should be' "warning: $dir/lib/tessera_grant.so: No such file or directory: jobs run without" "$(doctor)"
mv "$dir/lib/moved" "$dir/lib/tessera_grant.so"
chmod o+w "$dir/lib/tessera_grant.so"
is 'one that anybody could have written' grant_module "$(checks)"
like 'and what to run' "run: chown root $dir/lib/tessera_grant.so && chmod 755" "$(doctor)"
echo 'Grants = no' >>"$dir/tessera.conf"
is 'where nobody wants any' '' "$(checks)"
edit tessera.conf '/^Grants/d'
chmod o-w "$dir/lib/tessera_grant.so"
other_release "$dir/lib/spank_tessera.so" micro
is 'SPANK takes all of a release' '' "$(checks)"
other_release "$dir/lib/job_submit_tessera.so" micro
is 'the controller only its own' plugin_version "$(checks)"
like 'which' 'job_submit_tessera.so: it was built for Slurm [0-9.]+, but [0-9.]+ runs' "$(doctor)"
rm "$dir/lib/job_submit_tessera.so"
is 'or there is none' plugin_missing "$(checks)"
cp "$TESSERA_LAB/lib/job_submit_tessera.so" "$dir/lib"
other_release "$dir/lib/spank_tessera.so" minor
is 'another release' plugin_version "$(checks)"
echo nonsense >"$dir/lib/spank_tessera.so"
is 'no plugin at all' plugin_version "$(checks)"
anew

# tessera.conf, StateDir, V-IPU.
edit tessera.conf '/^Unasked/d'
finds unasked 'warning: .*tessera.conf: partition sambanova has no Unasked: jobs that ask for no RDUs find no mask' \
	'Unasked = default in partition sambanova'
edit tessera.conf 's/^Unasked.*/Unasked = none/'
is 'a policy' '' "$(checks)"
anew
chmod 600 "$dir/tessera.conf"
finds conf_mode 'mode is 600' 'chown root .*chmod 644'
chmod 666 "$dir/tessera.conf"
finds conf_mode 'mode is 666' 'chown root .*chmod 644'
echo 'Nonsense = 1' >>"$dir/tessera.conf"
finds conf "tessera.conf:[0-9]+: .*Nonsense" 'what tessera conf'
# As make install leaves it: comments alone.
cp "$top/etc/tessera.conf" "$dir"
finds conf 'error: .*/tessera.conf: it describes no node, partition or pool' 'what tessera conf'
edit tessera.conf "s|^StateDir.*|StateDir = \"$dir/state\"|"
install -d -m 777 "$dir/state"
finds state_dir 'StateDir .*/state: its mode is 777' 'chown root .*chmod 755'
edit tessera.conf "s|^StateDir.*|StateDir = \"$dir/no/such\"|"
finds state_dir 'which is not there' 'mkdir -p'
edit tessera.conf 's/Port = .*/Port = 1/'
finds vipu 'the V-IPU controller of gc-poplar-02 does not serve' '.*tessera-vipu .*version$'

# Who says what is bad: a tool that is not there, one that nobody has asked, and a cache that cannot be read.
edit tessera.conf 's|^SnfadmCommand = .*|SnfadmCommand = "/nowhere/snfadm -l inventory"|'
finds health_tool 'warning: .*SnfadmCommand: /nowhere/snfadm: No such file' 'SnfadmCommand = ""'
cache=$TESSERA_LAB/state/sm-01/health
sed -i 's/\(source snfadm time\) [0-9]*/\1 1/' "$cache"
finds health 'warning: sm-01: what snfadm said .* is older than HealthMax' 'systemctl enable --now tessera-health.timer on sm-01'
echo 'nonsense' >"$cache"
finds health 'sm-01: .*state/sm-01/health:1: this is no health file' 'tessera health$'
rm "$cache"
finds health 'sm-01: what snconfig said of what is bad is nothing so far' 'systemctl'
fine run tessera health --node=sm-01 >/dev/null
sed -i 's/\(source snfadm time\) [0-9]*/\1 99999999999/' "$cache"
finds health 'warning: sm-01: what snfadm said .* is of a time yet to come' 'systemctl'
fine run tessera health --node=sm-01 >/dev/null
marks=$TESSERA_LAB/marks/sm-01/marks
mkdir -p "${marks%/*}"
echo 'nonsense' >"$marks"
finds marks 'error: sm-01: .*marks/sm-01/marks:1: this is no file of marks' "rm $marks, and tessera mark --node=sm-01 for each tile"
rm "$marks"

# What a node keeps, and a node to which nobody can come.
ledger=$TESSERA_LAB/state/sm-01/ledger
[ ! -e "$ledger" ] || mv "$ledger" "$dir/../ledger.kept"
echo 'nonsense' >"$ledger"
finds ledger 'error: sm-01: no job gets tiles here: .*state/sm-01/ledger:1: this is no ledger' \
	"scancel --nodelist=sm-01, then rm $ledger && systemctl restart slurmd\$"
rm "$ledger"
[ ! -e "$dir/../ledger.kept" ] || mv "$dir/../ledger.kept" "$ledger"
table=$TESSERA_LAB/state/sm-01/locality
echo 'nonsense' >"$table"
finds locality 'warning: sm-01: which RDUs are near .*state/sm-01/locality is damaged' 'tessera topology --write --node=sm-01$'
fine run tessera topology --write --node=sm-01
edit tessera.conf "s|^DeviceFiles.*|DeviceFiles = \"$TESSERA_LAB/dev/%n/nonsuch*\"|"
finds device_files "warning: sm-01: DeviceFiles = $TESSERA_LAB/dev/sm-01/nonsuch\* matches no file" 'DeviceFiles = "PATTERN"'
edit tessera.conf 's|^DeviceFiles.*|DeviceFiles = ""|'
is 'none is named' '' "$(checks)"
anew
fine run scontrol update NodeName=sm-01 State=DOWN Reason='broken fan'
finds node_down 'warning: sm-01: slurmctld calls it down, and no job starts there: broken fan' \
	'scontrol update NodeName=sm-01 State=RESUME'
fine run scontrol update NodeName=sm-01 State=RESUME
up() { [ "$(run sinfo -hn sm-01 -o %t | sort -u)" = idle ]; }
await 'it is up again' up

# Who makes grants: nobody.
edit tessera.conf "s|^MungeSocket.*|MungeSocket = \"$dir/none\"|"
finds munged "warning: .*jobs run without TESSERA_GRANT: .*$dir/none" 'systemctl start munge'

# What libmunge dies of is no answer, either.
fine cc -shared -fPIC -o "$dir/munge_dies.so" "$top/test/cluster/munge_dies.c" -ldl
is 'it dies' munged "$(LD_PRELOAD="$dir/munge_dies.so" checks)"
like 'that is told' 'jobs run without TESSERA_GRANT: libmunge died' "$(LD_PRELOAD="$dir/munge_dies.so" doctor)"

# What cannot be looked at is another matter: exit code 3, and what was found all the same.
edit slurm.conf 's/^SlurmctldPort=.*/SlurmctldPort=1/; s/^MessageTimeout=.*/MessageTimeout=2/; s/^GresTypes.*//'
code=0
said=$(doctor 2>&1) || code=$?
is 'no slurmctld' 3 "$code"
like 'is told' 'could not look: slurmctld does not answer' "$said"
like 'the rest is' 'GresTypes lacks' "$said"
is 'nothing is made up' gres_types "$(checks)"
anew
# Why it does not, if slurm.conf says so: what stops slurmctld when it starts.
edit slurm.conf 's/^SlurmctldPort=.*/SlurmctldPort=1/; s/^MessageTimeout=.*/MessageTimeout=2/; s/^AccountingStorageType=.*//'
is 'counted without slurmdbd' accounting_tres "$(checks)"
like 'that is said' 'error: .*slurm.conf: slurmctld does not start: AccountingStorageTRES has gres/rdu,.*license/csx, .*slurmdbd' "$(doctor 2>&1)"
like 'with what to write' 'write: AccountingStorageType=accounting_storage/slurmdbd, or slurm.conf without AccountingStorageTRES$' "$(doctor 2>&1)"
anew
mkdir "$dir/lib"
cp "$TESSERA_LAB"/lib/*.so "$dir/lib"
rm "$dir/lib/job_submit_tessera.so"
edit plugstack.conf "s|$TESSERA_LAB/lib|$dir/lib|"
edit slurm.conf "s|^PluginDir=$TESSERA_LAB/lib|PluginDir=$dir/lib|; s/^SlurmctldPort=.*/SlurmctldPort=1/; s/^MessageTimeout=.*/MessageTimeout=2/"
is 'no plugin, and no answer' plugin_missing "$(checks)"
like 'slurmctld does not start' 'slurmctld does not start: JobSubmitPlugins has tessera, but job_submit_tessera.so' "$(doctor 2>&1)"
anew
code=0
env SLURM_CONF="$dir/nonsuch.conf" "$TESSERA_LAB/bin/tessera" doctor --conf="$dir/tessera.conf" >/dev/null 2>&1 || code=$?
is 'no slurm.conf' 3 "$code"
echo 'Nonsense=1' >>"$dir/slurm.conf"
is 'Slurm cannot read it' slurm_conf "$(checks)"
like 'and says why' 'Slurm itself cannot read it: .*Nonsense' "$(doctor 2>&1)"
anew
code=0
doctor -o nonsense >/dev/null 2>&1 || code=$?
is 'a column that is not there' 2 "$code"

# Anyone may ask.
chmod -R a+rX "$dir"
is 'an ordinary user' 'nothing is wrong' "$(ann env SLURM_CONF="$dir/slurm.conf" tessera doctor)"
