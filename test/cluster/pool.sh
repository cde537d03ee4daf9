#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera pool shows the job of each V-IPU partition, the leaked partitions, and the licenses of the
# pools.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

pool() { ann tessera pool "$@"; }

living=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 -o /dev/null --wrap 'sleep 600')
counted=$(bob sbatch --parsable --csx=2 -o /dev/null --wrap 'sleep 600')
waiting=$(bob sbatch --parsable --hold -p p64 --ipus=4 -o /dev/null --wrap 'sleep 600')
reaches "$living" RUNNING
reaches "$counted" RUNNING
ended=$(ann sbatch --parsable -W -o /dev/null --wrap true)
for name in slurm_999999 "slurm_$ended" "slurm_$waiting" somebodys; do fine vipu create "$name" 2; done
await 'the job has its partition' eval 'vipu list | grep -q "^slurm_'"$living"' .*ACTIVE"'

# IPUs in a partition are not free, whoever created it. Partitions of two IPUs each: of a pending
# job, two leaked ones, and one of another tool.
table=$(pool)
like 'the summary counts IPUs outside any license' '^ipu: 4 of 64 held, 8 in partitions not covered by licenses, 52 free$' "$table"
like 'the summary counts the other pool' '^csx: 2 of 2 held, 0 free$' "$table"
like 'the partition of a running job' "^slurm_$living +4 +1 +active +$living +tess-ann +no\$" "$table"
like 'the partition of a pending job' "^slurm_$waiting +2 +1 +active +$waiting +tess-bob +no\$" "$table"
like 'a leaked partition of an unknown job' '^slurm_999999 +2 +1 +active +999999 +- +yes$' "$table"
like 'a leaked partition of an ended job' "^slurm_$ended +2 +1 +active +$ended +tess-ann +yes\$" "$table"
like 'a partition of another tool' '^somebodys +2 +1 +active +- +- +-$' "$table"
wanted=$(
	LC_ALL=C sort <<-LIST
		license csx 2 2 None None 0
		license ipu 64 4 None 8 52
		partition slurm_$living 4 None no None None
		partition slurm_999999 2 None yes None None
		partition slurm_$ended 2 None yes None None
		partition slurm_$waiting 2 None no None None
		partition somebodys 2 None None None None
	LIST
)
is 'the JSON output' "$wanted" "$(pool --json | /usr/bin/python3 -c 'import json, sys
for r in json.load(sys.stdin): print(r["kind"], r["id"], r["size"], r["held"], r["leaked"], r["uncounted"], r["free"])' | LC_ALL=C sort)"
is 'the columns can be chosen' 'slurm_999999 127.0.0.1' "$(pool --raw -o id,controller | sed -n 's/^\(slurm_999999 [0-9.]*\):.*/\1/p')"

# One of several controllers cannot tell what is free.
like 'free IPUs are known with one controller' '^ipu: 4 of 64 held, 8 in .*, 52 free$' "$(pool --node=gc-poplar-02)"
two=$TESSERA_LAB/etc/two.conf
{ cat "$TESSERA_LAB/etc/tessera.conf" && echo 'vipu "elsewhere" { Host = 127.0.0.1 Port = 1 }'; } >"$two"
like 'free IPUs are unknown with one of two controllers' '^ipu: 4 of 64 held$' "$(pool --conf="$two" --node=gc-poplar-02)"
is 'the JSON has null for unknown values' 'null null' "$(pool --conf="$two" --node=gc-poplar-02 --json | tr -d ' ,"' | sed -n '/^id:ipu$/,/^}/{s/^uncounted://p;s/^free://p}' | paste -sd ' ')"
rm -f "$two"

# A failed query is reported with its exit code.
code=0
said=$(pool --node=sn30-r1-h1 2>&1 >/dev/null) || code=$?
is 'the exit code is 1 without a controller' 1 "$code"
like 'the message names the node' 'no V-IPU controller for node sn30-r1-h1' "$said"
keys=$TESSERA_LAB/etc/keys
install -m 600 /dev/null "$keys"
sed "s|Host = 127.0.0.1|&\n\tMetadataFile = \"$keys\"|" "$TESSERA_LAB/etc/tessera.conf" >"$TESSERA_LAB/etc/keyed.conf"
code=0
pool --conf="$TESSERA_LAB/etc/keyed.conf" >/dev/null 2>&1 || code=$?
is 'the exit code is 4 without access to the keys' 4 "$code"
sed 's/Port = .*/Port = 1/' "$TESSERA_LAB/etc/tessera.conf" >"$TESSERA_LAB/etc/keyed.conf"
code=0
said=$(pool --conf="$TESSERA_LAB/etc/keyed.conf") || code=$?
is 'the exit code is 3 without an answer' 3 "$code"
like 'the licenses are still printed' '^ipu: 4 of 64 held$' "$said"
rm -f "$keys" "$TESSERA_LAB/etc/keyed.conf"

run scancel "$living" "$counted" "$waiting"
for name in slurm_999999 "slurm_$ended" "slurm_$waiting" somebodys; do fine vipu remove "$name"; done
