# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For scenarios about jobs that ask for nothing, with the lines of ALCF's user guides.

conf=$TESSERA_LAB/etc/tessera.conf
work=$TESSERA_LAB/unasked
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf" && rm -rf "$work" "$(home ann)/"{lenet.py,submit-lenet-job.sh,pef}' EXIT
mkdir "$work"
chmod 755 "$work"

# policy PARTITION WORD...: the partition's block has these words, and nothing else but its platform.
policy() {
	local partition=$1
	shift
	sed "s/^\(partition $partition { Platform = [^ ]*\).*/\1 $* }/" "$conf.saved" >"$conf.new" && mv -f "$conf.new" "$conf"
	grep -qF "$* }" "$conf" || broken "no partition $partition in tessera.conf"
}

# python: says what it was told to do, and which tiles it would use.
cat >"$work/python" <<'SCRIPT'
#!/bin/sh
echo "$2: ${SF_RNT_TILE_AFFINITY-no mask}"
SCRIPT
chmod 755 "$work/python"
guide() { ann env "PATH=$work:$PATH" "$@"; }

# The guides' batch job.
cat >"$(home ann)/submit-lenet-job.sh" <<'SCRIPT'
#!/bin/sh
python lenet.py compile -b=1 --pef-name="lenet" --output-folder="pef"
python lenet.py run --pef="pef/lenet/lenet.pef"
SCRIPT
fine ann mkdir -p pef/lenet
fine ann touch lenet.py

# printed_by NAME OPTION...: what a batch job wrote whose output is in NAME.
printed_by() {
	local out
	out=$(home ann)/$1
	shift
	fine guide sbatch -W -Q -o "${out##*/}" "$@" >/dev/null
	cat "$out"
	rm -f "$out"
}

show_mask='echo "${SF_RNT_TILE_AFFINITY-no mask}"'
one_rdu=0x00000000000000ff
no_tiles=0x0000000000000000
