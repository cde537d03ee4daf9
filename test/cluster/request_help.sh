#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The help of srun, sbatch and salloc lists each of our options and marks it as ours.
. "$(dirname "$0")/lib.sh"

for command in srun sbatch salloc; do
	help=$(run "$command" --help)
	for option in --tiles-per-task=N --tile-affinity=SET --tile-bind=HOW --ipus=N --ipu-gcds=N --csx=N; do
		like "$command --help lists $option" "^ +$option +\[tessera\] " "$help"
	done
done
