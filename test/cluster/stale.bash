# shellcheck shell=bash disable=SC2034,SC2119,SC2120,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is left of jobs, in scenarios.

conf=$TESSERA_LAB/etc/tessera.conf
node=sn30-r1-h1
device=$TESSERA_LAB/dev/$node/rdu
ann_id=$(id -u tess-ann)
bob_id=$(id -u tess-bob)

# policy LINE...: tessera.conf with these lines, until the end of the scenario.
cp "$conf" "$conf.saved"
trap 'end_left; mv -f "$conf.saved" "$conf"; rm -f "$TESSERA_LAB"/use/*' EXIT
policy() { { cat "$conf.saved" && printf '%s\n' "$@"; } | awk '{ key[NR] = $1; line[NR] = $0; last[$1] = NR }
	END { for (i = 1; i <= NR; i++) if (line[i] !~ /^[A-Z][A-Za-z]* =/ || last[key[i]] == i) print line[i] }' | rewrite "$conf" || exit 1; }

# leave [OPTION]...: ann's job, which leaves a process behind. Its number.
leave() { ann sbatch --parsable -o /dev/null -w $node "${want:---gres=rdu:1}" --wrap "use-tiles --leave $*"; }

# The process that was left behind; end_left ends it, and says when it has gone.
left() { device_holders $node; }
end_left() {
	local pid
	for pid in $(left); do kill -KILL "$pid" 2>/dev/null; done
	await 'what was left has ended' no_device_holders
}

# kept_back JOB: its tiles are; the row that says so is left in $row.
is_stale() { grep -q "^job $1 uid [0-9]* state stale " <<<"$(rows $node)"; }
kept_back() {
	await "the tiles of job $1 are kept back" is_stale "$1"
	row=$(rows $node | grep "^job $1 .* stale ")
}
gone() { ! grep -q "^job $1 " <<<"$(rows $node)"; }
given_back() { await "the tiles of job $1 are given back" gone "$1"; }
finished() { [ -z "$(run squeue -hj "$1" -o %T 2>/dev/null)" ]; }
finishes() { await "job $1 has left its node" finished "$1"; }

# The epilogs that run here.
epilog_of() {
	local process
	for process in /proc/[0-9]*; do
		tr '\0' ' ' 2>/dev/null <"$process/cmdline" | grep -q 'slurmstepd.* spank epilog' &&
			grep -qsxzF "SLURM_CONF=$TESSERA_LAB/etc/slurm.conf" "$process/environ" && echo "${process##*/}"
	done
}

mask() { "$@" srun -w $node --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY; }
status() { ann tessera status --node=$node "$@"; }
reap() { run tessera reap --node=$node --conf="$conf" "$@"; }
logged() { grep -c -e "tessera: job $1[ :].*$2" "$TESSERA_LAB/log/$node.log"; }
