#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The environment of tasks with IPUs, however they are started. Other tasks find no such variables.
. "$(dirname "$0")/lib.sh"

port=$(sed -n 's/^\tPort = //p' "$TESSERA_LAB/etc/tessera.conf")
ipuof() { grep '^IPUOF\|^TESSERA_PARTITION' | sort | xargs; }
wanted() { echo "IPUOF_VIPU_API_GCD_ID=0 IPUOF_VIPU_API_HOST=127.0.0.1 IPUOF_VIPU_API_PARTITION_ID=slurm_$1 IPUOF_VIPU_API_PORT=$port IPUOF_VIPU_API_TIMEOUT=${2:-120} TESSERA_PARTITION=slurm_$1 TESSERA_PARTITION_GCDS=1"; }
job_in() { sed -n 's/^SLURM_JOB_ID=//p' <<<"$1" | head -n 1; }

# srun, with variables that a user's profile may have set.
out=$(ann env IPUOF_CONFIG_PATH=/etc/ipuof.conf.d/p64.conf IPUOF_VIPU_API_HOST=10.9.9.9 IPUOF_VIPU_API_GCD_ID=7 \
	IPUOF_VIPU_API_PARTITION_ID=p64 srun -p p64 --ipus=2 env)
is 'a task of srun has the variables' "$(wanted "$(job_in "$out")")" "$(ipuof <<<"$out")"

# The user may set log levels and a longer timeout.
out=$(ann env IPUOF_LOG_LEVEL=DEBUG IPUOF_VIPU_API_TIMEOUT=1200 srun -p p64 --ipus=2 env)
is 'the variables of the user are kept' "$(wanted "$(job_in "$out")" 1200 | sed 's/^/x /; s/TESSERA/IPUOF_LOG_LEVEL=DEBUG TESSERA/' | tr ' ' '\n' | ipuof)" \
	"$(ipuof <<<"$out")"

# Nothing of the user's environment, and --gres instead of --ipus.
out=$(ann srun -p p64 --export=NONE --gres=ipu:2 /usr/bin/env)
is 'a task with --export=NONE has the variables' "$(wanted "$(job_in "$out")")" "$(ipuof <<<"$out")"

# sbatch: the script, a step of two tasks, and steps that inherit nothing from the script.
fine ann sbatch -W -p p64 --ipus=4 -n2 -o env.out --wrap 'env; echo ===; srun -n2 env; echo ===; srun --export=NONE -n1 /usr/bin/env; echo ===; env -i PATH=$PATH SLURM_CONF=$SLURM_CONF SLURM_JOB_ID=$SLURM_JOB_ID srun -n1 env'
out=$(cat "$(home ann)/env.out")
job=$(job_in "$out")
is 'script and steps have the variables' "$(for _ in 1 2 3 4 5; do wanted "$job"; done | tr ' ' '\n' | sort | xargs)" "$(ipuof <<<"$out")"

# salloc, and a step in it.
out=$(ann salloc -Q -p p64 --ipus=1 srun env)
is 'a step of salloc has the variables' "$(wanted "$(job_in "$out")")" "$(ipuof <<<"$out")"

# A job submitted by a job inherits nothing of it.
fine ann sbatch -W -p p64 --ipus=1 -o /dev/null --wrap 'sbatch -W -p p64 -o inner.out --wrap "env; srun env"'
unlike 'a job in a job has no variables' 'IPUOF|TESSERA_PARTITION|SLURM_TESSERA' "$(cat "$(home ann)/inner.out")"

# The variables of a job that requests nothing are not changed.
out=$(ann env IPUOF_CONFIG_PATH=/a IPUOF_VIPU_API_PARTITION_ID=mine srun -p p64 env)
is 'the variables of the user are unchanged' 'IPUOF_CONFIG_PATH=/a IPUOF_VIPU_API_PARTITION_ID=mine' "$(ipuof <<<"$out")"
rm -f "$(home ann)"/{env,inner}.out
