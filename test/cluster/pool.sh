#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera pool tells whose each V-IPU partition is, and which have leaked; and what the pools' licences count.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

pool() { ann tessera pool "$@"; }

living=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 -o /dev/null --wrap 'sleep 600')
counted=$(bob sbatch --parsable --csx=2 -o /dev/null --wrap 'sleep 600')
waiting=$(bob sbatch --parsable --hold -p p64 --ipus=4 -o /dev/null --wrap 'sleep 600')
reaches "$living" RUNNING
reaches "$counted" RUNNING
ended=$(ann sbatch --parsable -W -o /dev/null --wrap true)
for name in slurm_999999 "slurm_$ended" "slurm_$waiting" somebodys; do fine vipu create "$name" 2; done
await 'the partition is there' eval 'vipu list | grep -q "^slurm_'"$living"' .*ACTIVE"'

# What is in a partition is not free, whoever made it: of two IPUs each, that of a job that waits, two that leaked, and somebody's.
table=$(pool)
like 'IPUs that are held' '^ipu: 4 of 64 held, 8 in partitions that no license counts, 52 free$' "$table"
like 'another pool' '^csx: 2 of 2 held, 0 free$' "$table"
like 'of a living job' "^slurm_$living +4 +1 +active +$living +tess-ann +no\$" "$table"
like 'one that waits' "^slurm_$waiting +2 +1 +active +$waiting +tess-bob +no\$" "$table"
like 'one that leaked' '^slurm_999999 +2 +1 +active +999999 +- +yes$' "$table"
like 'one whose job has ended, but is remembered' "^slurm_$ended +2 +1 +active +$ended +tess-ann +yes\$" "$table"
like 'one that is none of ours' '^somebodys +2 +1 +active +- +- +-$' "$table"
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
is 'for programs' "$wanted" "$(pool --json | /usr/bin/python3 -c 'import json, sys
for r in json.load(sys.stdin): print(r["kind"], r["id"], r["size"], r["held"], r["leaked"], r["uncounted"], r["free"])' | LC_ALL=C sort)"
is 'columns' 'slurm_999999 127.0.0.1' "$(pool --raw -o id,controller | sed -n 's/^\(slurm_999999 [0-9.]*\):.*/\1/p')"

# One controller of several says nothing of the others: what is free is not known then.
like 'the only one' '^ipu: 4 of 64 held, 8 in .*, 52 free$' "$(pool --node=gc-poplar-02)"
two=$TESSERA_LAB/etc/two.conf
{ cat "$TESSERA_LAB/etc/tessera.conf" && echo 'vipu "elsewhere" { Host = 127.0.0.1 Port = 1 }'; } >"$two"
like 'one of two' '^ipu: 4 of 64 held$' "$(pool --conf="$two" --node=gc-poplar-02)"
is 'for programs' 'null null' "$(pool --conf="$two" --node=gc-poplar-02 --json | tr -d ' ,"' | sed -n '/^id:ipu$/,/^}/{s/^uncounted://p;s/^free://p}' | paste -sd ' ')"
rm -f "$two"

# What cannot be asked is told, with the exit code for it.
code=0
said=$(pool --node=sn30-r1-h1 2>&1 >/dev/null) || code=$?
is 'a node without a controller' 1 "$code"
like 'is named' 'no V-IPU controller for node sn30-r1-h1' "$said"
keys=$TESSERA_LAB/etc/keys
install -m 600 /dev/null "$keys"
sed "s|Host = 127.0.0.1|&\n\tMetadataFile = \"$keys\"|" "$TESSERA_LAB/etc/tessera.conf" >"$TESSERA_LAB/etc/keyed.conf"
code=0
pool --conf="$TESSERA_LAB/etc/keyed.conf" >/dev/null 2>&1 || code=$?
is 'keys for root alone' 4 "$code"
sed 's/Port = .*/Port = 1/' "$TESSERA_LAB/etc/tessera.conf" >"$TESSERA_LAB/etc/keyed.conf"
code=0
said=$(pool --conf="$TESSERA_LAB/etc/keyed.conf") || code=$?
is 'nobody answers' 3 "$code"
like 'the licences are told all the same' '^ipu: 4 of 64 held$' "$said"
rm -f "$keys" "$TESSERA_LAB/etc/keyed.conf"

run scancel "$living" "$counted" "$waiting"
for name in slurm_999999 "slurm_$ended" "slurm_$waiting" somebodys; do fine vipu remove "$name"; done
