#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job that requests no accelerator is not affected by the plugin: same environment, no output.
. "$(dirname "$0")/lib.sh"

stack=$TESSERA_LAB/etc/plugstack.conf
work=$(mktemp -d)
cp "$stack" "$work/plugstack.conf"
trap 'rewrite "$stack" cat "$work/plugstack.conf" && rm -rf "$work"' EXIT

# shot NAME: record the environment of a task and of a batch script, and the messages of srun.
shot() {
	fine ann srun -n1 env >"$work/$1.step" 2>"$work/$1.words"
	fine ann sbatch -W -o "%x.out" -J "shot-$1" --wrap env >/dev/null
	mv "$TESSERA_LAB/home/tess-ann/shot-$1.out" "$work/$1.batch"
}

# Slurm reads the plugin stack for each client and step.
rewrite "$stack" true
shot without1
shot without2
rewrite "$stack" cat "$work/plugstack.conf"
shot with

is 'srun prints no message' '' "$(drop_wait_messages <"$work/with.words")"
for where in step batch; do
	# Variables that differ between two runs without the plugin (IDs, ports, times) cannot be
	# compared.
	volatile=$(diff <(sort "$work/without1.$where") <(sort "$work/without2.$where") |
		sed -n 's/^[<>] \([A-Za-z_0-9]*\)=.*/\1/p' | sort -u | paste -sd'|')
	[ -n "$volatile" ] || fail 'two jobs had the same id'
	stable() { grep -vE "^($volatile)=" "$work/$1.$where" | sort; }
	names() { sed 's/=.*//' "$work/$1.$where" | sort; }
	is "$where: values of variables are unchanged" "$(stable without1)" "$(stable with)"
	is "$where: names of variables are unchanged" "$(names without1)" "$(names with)"
done
