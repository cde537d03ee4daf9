# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The prologs that run here, in scenarios, and what becomes of them.

prologs() {
	local process
	for process in /proc/[0-9]*; do
		tr '\0' ' ' 2>/dev/null <"$process/cmdline" | grep -q 'slurmstepd.* spank prolog' &&
			grep -qsxzF "SLURM_CONF=$TESSERA_LAB/etc/slurm.conf" "$process/environ" && echo "${process##*/}"
	done
}
no_prologs() { [ -z "$(prologs)" ]; }
one_prolog() { [ "$(prologs | wc -l)" = 1 ]; }

# is_gone PID: the process has ended; what is left of it does not count.
is_gone() { ! grep -qs '^State:.[^ZX]' "/proc/$1/status"; }
