#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job that asks for no accelerator cannot tell whether the plugin is there: same environment, no output.
. "$(dirname "$0")/lib.sh"

stack=$TESSERA_LAB/etc/plugstack.conf
work=$(mktemp -d)
cp "$stack" "$work/plugstack.conf"
trap 'rewrite "$stack" <"$work/plugstack.conf" && rm -rf "$work"' EXIT

# shot NAME: the environment of a task and of a batch script, and what srun had to say.
shot() {
	fine ann srun -n1 env >"$work/$1.step" 2>"$work/$1.words"
	fine ann sbatch -W -o "%x.out" -J "shot-$1" --wrap env >/dev/null
	mv "$TESSERA_LAB/home/tess-ann/shot-$1.out" "$work/$1.batch"
}

# Slurm reads the plugin stack anew for each client and step.
rewrite "$stack" </dev/null
shot without1
shot without2
rewrite "$stack" <"$work/plugstack.conf"
shot with

is 'what srun says' '' "$(but_waiting <"$work/with.words")"
for where in step batch; do
	# What differs between two runs without the plugin (ids, ports, times) cannot be compared.
	volatile=$(diff <(sort "$work/without1.$where") <(sort "$work/without2.$where") |
		sed -n 's/^[<>] \([A-Za-z_0-9]*\)=.*/\1/p' | sort -u | paste -sd'|')
	[ -n "$volatile" ] || broken 'two jobs had the same id'
	stable() { grep -vE "^($volatile)=" "$work/$1.$where" | sort; }
	names() { sed 's/=.*//' "$work/$1.$where" | sort; }
	is "$where: variables that last" "$(stable without1)" "$(stable with)"
	is "$where: names of all variables" "$(names without1)" "$(names with)"
done
