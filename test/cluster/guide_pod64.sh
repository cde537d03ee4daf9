#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The command lines of ALCF's user guides for the Graphcore machines, verbatim, with stand-ins for
# python and poprun that attach to their IPUs through the environment alone. Each has the IPUs that
# it requested, alone and beside all the others.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/guides.bash
. "$(dirname "$0")/guides.bash"

guide_up ipu:3 gc-poplar-02 ipu-python
scripts <<'GUIDE'
==> submit-mnist-poptorch-job.sh
#!/bin/sh

python mnist_poptorch.py
==> asks-in-itself.sh
#!/bin/sh
#SBATCH --ipus=1
#SBATCH --output=asks.log
srun python mnist_poptorch.py
==> poprun.sh
#!/bin/bash
poprun -vv --vipu-partition=slurm_${SLURM_JOBID} --num-instances=1 --num-replicas=4 python3 train.py
GUIDE

# Lines IPUS OUTPUT LINE: LINE prints to the terminal, or to the file OUTPUT.
lines() {
	cat <<'GUIDE'
1 - srun --ipus=1 python mnist_poptorch.py
1 mnist-poptorch-output.log sbatch --ipus=1 --output=mnist-poptorch-output.log submit-mnist-poptorch-job.sh
1 - /opt/slurm/bin/srun --ipus=1 python mnist_poptorch.py
1 - /opt/slurm/bin/srun --ipus=1 python mnist.py
4 - /opt/slurm/bin/srun --ipus=4 poprun -vv --num-instances=1 --num-replicas=4 --executable-cache-path=$PYTORCH_CACHE_DIR python3 /home/$USER/graphcore/examples/vision/cnns/pytorch/train/train.py --config resnet50-pod4 --imagenet-data-path /mnt/localdata/datasets/imagenet-raw-dataset --epoch 2 --validation-mode none --dataloader-worker 14 --dataloader-rebatch-size 256
16 - /opt/slurm/bin/srun --ipus=16 python /home/$USER/graphcore/examples/nlp/gpt2/pytorch/train_gpt2.py --model gpt2 --ipus-per-replica 4 --replication-factor 4 --gradient-accumulation 2048 --device-iterations 8 --batch-size 1 --layers-per-ipu 0 4 4 4 --matmul-proportion 0.15 0.15 0.15 0.15 --max-len 1024 --optimizer AdamW --learning-rate 0.00015 --lr-schedule cosine --lr-warmup 0.01 --remap-logit True --enable-sequence-serialized True --embedding-serialization-factor 4 --recompute-checkpoint-every-layer True --enable-half-partials True --replicated-tensor-sharding True --dataset 'generated' --epochs 1
1 asks.log sbatch asks-in-itself.sh
4 - srun --ipus=4 ./poprun.sh
GUIDE
}

# line USER NUMBER IPUS OUTPUT LINE: run LINE and collect its output in a file.
line() {
	local at file
	at=$(home "$1")
	file=$at/said.$2
	EXPECT_IPUS=$3 types "$1" "$5" >"$file" 2>&1 || fail "failed with $?: $5: $(cat "$file")"
	[ "$4" = - ] || {
		await "the job of $5 prints its IPUs" grep -qs IPUs "$at/$4"
		mv "$at/$4" "$file"
	}
	like "IPUs of $5" "^(attached to $3 of $3 IPUs|partition slurm_[0-9]+: $3 IPUs, .*ACTIVE)\$" "$(cat "$file")"
}

export PYTORCH_CACHE_DIR=graphcore/tmp/pt_cache/
number=0
while read -r ipus output text; do
	number=$((number + 1))
	line ann "$number" "$ipus" "$output" "$text"
done < <(lines)
await 'the jobs have ended' no_jobs

# All at once, for two users. With several partitions poprun alone could not choose one.
other=$(bob sbatch --parsable --ipus=1 -o /dev/null --wrap 'sleep 600')
reaches "$other" RUNNING
refused ann srun --ipus=1 env -u IPUOF_VIPU_API_PARTITION_ID poprun --num-instances=1
like 'poprun fails without the variable' 'there are [2-9] V-IPU partitions: name one' "$said"
started=()
while read -r ipus output text; do
	number=$((number + 1))
	[ $((number % 2)) = 0 ] && user=ann || user=bob
	line "$user" "$number" "$ipus" "$output" "$text" &
	started+=($!)
done < <(lines)
for process in "${started[@]}"; do wait "$process" || exit 1; done
fine run scancel "$other"
await 'the jobs have ended' no_jobs
await 'no job record is left' no_job_records
await 'no partition is left' no_partitions
guide_clean
