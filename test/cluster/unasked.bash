# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions for scenarios about jobs that request nothing, with command lines of ALCF's user guides.

conf=$TESSERA_LAB/etc/tessera.conf
work=$TESSERA_LAB/unasked
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf" && rm -rf "$work" "$(home ann)/"{lenet.py,submit-lenet-job.sh,pef}' EXIT
mkdir "$work"
chmod 755 "$work"

# policy PARTITION WORD...: the partition's block in tessera.conf has these words besides its platform.
policy() {
	local partition=$1
	shift
	sed "s/^\(partition $partition { Platform = [^ ]*\).*/\1 $* }/" "$conf.saved" >"$conf.new" && mv -f "$conf.new" "$conf"
	grep -qF "$* }" "$conf" || fail "no partition $partition in tessera.conf"
}

# python: print the second argument and the mask.
cat >"$work/python" <<'SCRIPT'
#!/bin/sh
echo "$2: ${SF_RNT_TILE_AFFINITY-no mask}"
SCRIPT
chmod 755 "$work/python"
guide() { ann env "PATH=$work:$PATH" "$@"; }

# The batch script of the guides.
cat >"$(home ann)/submit-lenet-job.sh" <<'SCRIPT'
#!/bin/sh
python lenet.py compile -b=1 --pef-name="lenet" --output-folder="pef"
python lenet.py run --pef="pef/lenet/lenet.pef"
SCRIPT
fine ann mkdir -p pef/lenet
fine ann touch lenet.py

# printed_by NAME OPTION...: run a batch job with its output in the file NAME, and print that.
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
