#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The command lines of ALCF's user guides for the Graphcore machines, word for word, with stand-ins for python and poprun that
# attach to their IPUs by the environment alone.
. "$(dirname "$0")/lib.sh"

home=$(home ann)
mkdir -p "$home/bin"
ln -sf "$TESSERA_LAB/bin/ipu-python" "$home/bin/python"
ln -sf "$TESSERA_LAB/bin/ipu-python" "$home/bin/python3"
in_p64() { ann env SLURM_PARTITION=p64 SBATCH_PARTITION=p64 EXPECT_IPUS="$1" PATH="$home/bin:$TESSERA_LAB/bin:$PATH" "${@:2}"; }

out=$(in_p64 1 srun --ipus=1 python mnist_poptorch.py) || broken "srun failed: $out"
like 'its program' '^arguments: mnist_poptorch.py$' "$out"
like 'it has its IPU' '^attached to 1 of 1 IPUs$' "$out"

out=$(in_p64 16 srun --ipus=16 python train_gpt2.py --model gpt2 --ipus-per-replica 4 --replication-factor 4) || broken "srun failed: $out"
like 'sixteen' '^attached to 16 of 16 IPUs$' "$out"

# A script without srun in it.
cat >"$home/submit-mnist-poptorch-job.sh" <<'SCRIPT'
#!/bin/sh
python mnist_poptorch.py
SCRIPT
fine in_p64 1 sbatch -W --ipus=1 --output=mnist-poptorch-output.log submit-mnist-poptorch-job.sh
like 'the batch script has it' '^attached to 1 of 1 IPUs$' "$(cat "$home/mnist-poptorch-output.log")"

# And one that asks in itself, with a bare srun.
cat >"$home/job.sh" <<'SCRIPT'
#!/bin/sh
#SBATCH --ipus=1
#SBATCH --output=job.log
srun python mnist_poptorch.py
SCRIPT
fine in_p64 1 sbatch -W job.sh
like 'its step has it' '^attached to 1 of 1 IPUs$' "$(cat "$home/job.log")"

# poprun, which would not choose when there are several partitions: here there are two, and it needs no help.
cat >"$home/poprun.sh" <<'SCRIPT'
#!/bin/bash
poprun -vv --vipu-partition=slurm_${SLURM_JOBID} --num-instances=1 --num-replicas=4 python3 train.py
SCRIPT
chmod +x "$home/poprun.sh"
other=$(bob sbatch --parsable -p p64 --ipus=1 -o /dev/null --wrap 'sleep 600')
reaches "$other" RUNNING
out=$(in_p64 4 srun --ipus=4 ./poprun.sh) || broken "poprun failed: $out"
like 'poprun' '^partition slurm_[0-9]*: 4 IPUs' "$out"
fine run scancel "$other"
rm -rf "${home:?}/bin" "$home"/*.sh "$home"/*.log
