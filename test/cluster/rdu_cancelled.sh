#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job that is cancelled while it waits for its tiles leaves the node at once. A job submitted from
# inside a job does not inherit its mask.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
sed -i 's/^PlaceWait = .*/PlaceWait = 3600/' "$conf"

owner=$(bob sbatch --parsable -o /dev/null -p sn10 --gres=rdu:1 --tile-affinity=rdu6 --wrap 'sleep 600')
reaches "$owner" RUNNING
job=$(ann sbatch --parsable -o /dev/null -p sn10 --gres=rdu:1 --tile-affinity=rdu6 --wrap true)
reaches "$job" RUNNING
fine ann scancel "$job"
reaches "$job" CANCELLED
fine bob srun -p sn10 true
fine run scancel "$owner"

fine ann srun --gres=rdu:1 sbatch -Q -W -o inner.out --wrap 'env | grep -e SF_RNT -e TESSERA_MASK -e TESSERA_ASKED; true'
is 'a job in a job has no mask' '' "$(cat "$(home ann)/inner.out")"
rm "$(home ann)/inner.out"
