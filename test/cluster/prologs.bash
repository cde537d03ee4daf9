# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions for scenarios that watch prologs: the processes of those that run in this lab.

prologs() {
	local process
	for process in /proc/[0-9]*; do
		tr '\0' ' ' 2>/dev/null <"$process/cmdline" | grep -q 'slurmstepd.* spank prolog' &&
			grep -qsxzF "SLURM_CONF=$TESSERA_LAB/etc/slurm.conf" "$process/environ" && echo "${process##*/}"
	done
}
no_prologs() { [ -z "$(prologs)" ]; }
one_prolog() { [ "$(prologs | wc -l)" = 1 ]; }

# has_ended PID: the process has ended with all its threads, of which the first can end before the
# others; a zombie counts as ended.
has_ended() { ! grep -qs '^State:.[^ZX]' "/proc/$1"/task/*/status; }
