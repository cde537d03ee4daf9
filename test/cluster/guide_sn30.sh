#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The recipes and command lines of ALCF's user guides for the SN30 machines, verbatim, under one
# configuration: every program has four tiles to itself, alone and beside another user's.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/guides.bash
. "$(dirname "$0")/guides.bash"

guide_up sn30-half:2 sn30-r1-h1 sn-python
# Longer scripts are reduced to the lines that set variables and launch programs.
scripts <<'GUIDE'
==> submit-lenet-job.sh
#!/bin/sh

python lenet.py compile -b=1 --pef-name="lenet" --output-folder="pef"
python lenet.py run --pef="pef/lenet/lenet.pef"
==> submit-ffn_mnist-job.sh
#!/bin/sh
python ffn_mnist.py  compile -b 1 --pef-name="ffn_mnist" --mac-v2
python ffn_mnist.py  run -b 1 -p out/ffn_mnist/ffn_mnist.pef
==> submit-logreg-job.sh
#!/bin/sh
python logreg.py compile --pef-name="logreg" --output-folder="pef"
python logreg.py run --pef="pef/logreg/logreg.pef"
==> submit-my_model-job.sh
#!/bin/sh
python my_model.py run --pef="pef/my_model/my_model.pef"
==> Unet2d.sh
#! /bin/bash 
set -e
OUTDIR=$(pwd)/out/Unet2d
BS=$3
NP=$4
NUM_WORKERS=4
NUM_TILES=4
DS=/data/ANL/kaggle_3m
CACHE_DIR=/data/scratch/${USER}/kaggle_3m_${2}
UNET=/opt/sambaflow/apps/image/segmentation/
if [ "${1}" == "compile" ] ; then
python ${UNET}/compile.py compile --mac-v2 --in-channels=3 --in-width=${2} --in-height=${2} --batch-size=${BS} --enable-conv-tiling --num-tiles=4 --pef-name=unet_train_${BS}_${2}_single_${NUM_TILES} --output-folder=${OUTDIR}
elif [ "${1}" == "pcompile" ] ; then
python /opt/sambaflow/apps/image/segmentation/compile.py compile --mac-v2 --in-channels=3 --in-width=${2} --in-height=${2} --batch-size=${BS} --enable-conv-tiling --num-tiles=4 --pef-name=unet_train_${BS}_${2}_NP_${NUM_TILES}  --data-parallel -ws 2 --output-folder=${OUTDIR}
elif [ "${1}" == "run" ] ; then
srun --nodelist $(hostname) python /opt/sambaflow/apps/image/segmentation//hook.py run --data-cache=${CACHE_DIR}  --data-in-memory --num-workers=${NUM_WORKERS} --enable-tiling  --min-throughput 395 --in-channels=3 --in-width=${2} --in-height=${2} --init-features 32 --batch-size=${BS} --epochs 10 --data-dir ${DS} --log-dir log_dir_unet_${2}_${BS}_single_${NUM_TILES} --pef=${OUTDIR}/unet_train_${BS}_${2}_single_${NUM_TILES}/unet_train_${BS}_${2}_single_${NUM_TILES}.pef
elif [ "${1}" == "prun" ] ; then
cpus=$((128/NP))
sbatch --gres=rdu:1 --tasks-per-node ${NP} --nodes 1 --nodelist $(hostname) --cpus-per-task=${cpus} $(pwd)/unet_batch.sh ${NP} ${NUM_WORKERS} ${BS} ${2} ${5}
fi
==> unet_batch.sh
#! /bin/bash -x
BS=$3
IM=$4
DS=/data/ANL/kaggle_3m
OUTDIR=$(pwd)/out/Unet2d
CACHE_DIR=/nvmedata/scratch/${USER}/kaggle_3m_${IM}
NUM_WORKERS=${2}
NP=${1}
export OMP_NUM_THREADS=16
srun --mpi=pmi2 python /opt/sambaflow/apps/image/segmentation//hook.py run --data-cache=${CACHE_DIR}  --data-in-memory --num-workers=${NUM_WORKERS} --enable-tiling  --min-throughput 395 --in-channels=3 --in-width=${IM} --in-height=${IM} --init-features 32 --batch-size=${BS} --epochs 10 --data-dir ${DS} --log-dir log_dir_unet_${IM}_${BS}_${NP} --data-parallel --reduce-on-rdu --pef=${OUTDIR}/unet_train_${BS}_${IM}_NP_4/unet_train_${BS}_${IM}_NP_4.pef
==> Gpt1.5B_compile.sh
#! /bin/bash 
set -e
OUTPUT_PATH=${HOME}/Gpt1.5B_compile.out
OUTDIR=${HOME}/GPT_RUN
python /opt/sambaflow/apps/nlp/transformers_on_rdu/transformers_hook.py compile --module_name gpt2_pretrain --task_name clm --max_seq_length 1024 -b 16 --output_dir=${OUTDIR}/hf_output --overwrite_output_dir --do_train  --per_device_train_batch_size 16 --cache ${OUTDIR}/cache/ --tokenizer_name gpt2 --model_name gpt2 --mac-v2 --non_split_head --mac-human-decision /opt/sambaflow/apps/nlp/transformers_on_rdu/human_decisions_gm/mac_v2_overrides/gpt2_48_enc_full_recompute_training_spatialmapping_tiling16_clmerge_gm_nonpardp_lnsd.json --compiler-configs-file /opt/sambaflow/apps/nlp/transformers_on_rdu/human_decisions_gm/compiler_configs/compiler_configs_gpt2_sc_recompute_spatialmapping_tiling16_clsmerge_withcls_nonpardp_norc_e2e.json --skip_broadcast_patch --config_name /opt/sambaflow/apps/nlp/transformers_on_rdu/customer_specific/mv/configs/gpt2_config_xl_50260.json --no_index_select_patch --data-parallel -ws 2 --weight_decay 0.1  --max_grad_norm_clip 1.0 --num-tiles 4 --pef-name=gpt15 --output-folder=${OUTDIR}
/usr/local/bin/sbatch --output=${HOME}/slurm-%A.out --ntasks 32 --gres=rdu:1 --ntasks-per-node 16  --nodes 2 --cpus-per-task=8  Gpt1.5B_run.sh ${1} >> ${OUTPUT_PATH} 2>&1
==> Gpt1.5B_run.sh
#! /bin/bash 
set -e 
OUTPUT_PATH=${HOME}/Gpt1.5B.out
OUTDIR=${HOME}/GPT_RUN
export OMP_NUM_THREADS=18
/usr/local/bin/srun --mpi=pmi2 python /opt/sambaflow/apps/nlp/transformers_on_rdu/transformers_hook.py run  -b 16  --module_name gpt2_pretrain --task_name clm --max_seq_length 1024  --overwrite_output_dir --do_train  --per_device_train_batch_size 16 --cache ${OUTDIR}/cache/  --tokenizer_name gpt2 --model_name gpt2 --non_split_head --skip_broadcast_patch --no_index_select_patch --output_dir=${OUTDIR}/hf_output --config_name /opt/sambaflow/apps/nlp/transformers_on_rdu/customer_specific/mv/configs/gpt2_config_xl_50260.json --max_grad_norm_clip 1.0 --skip_checkpoint --data-parallel --reduce-on-rdu --data_dir /data/ANL/ss1024 --data_dir /data/ANL/ss1024  --logging_steps 1 --max_steps 900000 --learning_rate 0.00025 --steps_this_run 800 --min_throughput 299000 --max_throughput 600000 --pef=${OUTDIR}/gpt15/gpt15.pef >> ${OUTPUT_PATH} 2>&1
==> Gpt1.5B_base_single_run.sh
#! /bin/bash 
set -e 
MODEL_NAME="GPT1.5B_base_single_$1"
OUTPUT_PATH=${HOME}/${MODEL_NAME}.out
OUTDIR=${HOME}/${MODEL_NAME}
COMMAND="/usr/local/bin/srun --mpi=pmi2 python /opt/sambaflow/apps/nlp/transformers_on_rdu/transformers_hook.py run  -b $1 --data_dir /data/ANL/ss1024 --pef=${OUTDIR}/${MODEL_NAME}/${MODEL_NAME}.pef"
eval $COMMAND >> ${OUTPUT_PATH} 2>&1
==> BertLarge.sh
#! /bin/bash
set -e
OUTPUT_PATH=${HOME}/BertLarge.out
OUTDIR=${HOME}/BertLarge
COMMAND="/opt/mpich-3.4.3/bin/mpirun -np 16 python /opt/sambaflow/apps/nlp/transformers_on_rdu/transformers_hook.py run --config_name /opt/sambaflow/apps/nlp/transformers_on_rdu/modules/configs/mlm_24layer_ml_perf_config.json --tokenizer_name bert-large-uncased --module_name mlm_ns --task_name mlm_ns --data-parallel --reduce-on-rdu -p ${OUTDIR}/bertlrg/bertlrg.pef"
eval $COMMAND >> ${OUTPUT_PATH} 2>&1
==> BertLarge_run.sh
#! /bin/bash
/usr/local/bin/srun --mpi=pmi2 python /opt/sambaflow/apps/nlp/transformers_on_rdu/transformers_hook.py run --data-parallel --reduce-on-rdu
==> Gpt13b_ss2k_run.sh
#! /bin/bash
/usr/local/bin/srun --mpi=pmi2 python /opt/sambaflow/apps/nlp/transformers_on_rdu/transformers_hook.py run --data-parallel --reduce-on-rdu
==> Gpt13b_ss8k_run.sh
#! /bin/bash
/usr/local/bin/srun --mpi=pmi2 python /opt/sambaflow/apps/nlp/transformers_on_rdu/transformers_hook.py run --data-parallel --reduce-on-rdu
==> your_script.sh
#! /bin/bash
/opt/mpich-3.4.3/bin/mpirun -np 2 python my_model.py run --data-parallel --reduce-on-rdu
GUIDE

# Without any configuration 16 programs on each of two nodes share one half RDU.
type_all <<<'ann 32 4 ./Gpt1.5B_compile.sh'
is 'only two of 32 programs have tiles' $'2 tess-ann 4\n30 tess-ann none' "$(had | sed 's/ of .*//' | tally)"
# A program that requests nothing takes tiles that are allocated to another job: of two programs on
# two half RDUs one finds its half in use.
ask_nothing='srun --nodelist=sn30-r1-h1 python lenet.py run --pef="pef/lenet/lenet.pef"'
type_all <<<"bob 3 4 $ask_nothing & until [ -n \"\$(ls \$SN_MEET)\" ]; do sleep 0.1; done; sbatch -w sn30-r1-h1 --gres=rdu:2 your_script.sh; wait"
is 'a program without a request takes allocated tiles' $'1 tess-bob 8\n1 tess-bob none\n1 tess-bob unset' "$(had | sed 's/ of .*//' | tally)"

partition_keys sambanova 'RduScope = auto TilesPerTask = 4 Unasked = default Default = "rdu:1"' </dev/null
alone <<'GUIDE'
0 - srun python lenet.py compile -b=1 --pef-name="lenet" --output-folder="pef"
1 4 srun python lenet.py run --pef="pef/lenet/lenet.pef"
1 4 srun python lenet.py test --pef="pef/lenet/lenet.pef"
0 - srun --nodelist=sn30-r1-h1 python lenet.py compile -b=1 --pef-name="lenet" --output-folder="pef"
1 4 sbatch --output=pef/lenet/output.log submit-lenet-job.sh
0 - srun python ffn_mnist.py  compile -b 1 --pef-name="ffn_mnist" --mac-v2
1 4 srun python ffn_mnist.py  run -b 1 -p out/ffn_mnist/ffn_mnist.pef
1 4 sbatch --output=pef/ffn_mnist/output.log submit-ffn_mnist-job.sh
0 - srun python logreg.py compile --pef-name="logreg" --output-folder="pef"
1 4 srun python logreg.py run --pef="pef/logreg/logreg.pef"
1 4 sbatch --output=pef/logreg/output.log submit-logreg-job.sh
1 4 sbatch --output=pef/my_model/output.log submit-my_model-job.sh
2 8 sbatch --gres=rdu:2 your_script.sh
0 - squeue
0 - sinfo -O AllocNodes, GresUsed, Gres, NodeList
0 - ./Unet2d.sh compile 256 256 1 unet2d_single_compile
1 4 ./Unet2d.sh run 256 256 1 unet2d_single_run
0 - ./Unet2d.sh pcompile 256 256 8 unet2d_8inst_pcompile
8 4 ./Unet2d.sh prun 256 256 8 unet2d_8inst_prun
32 4 ./Gpt1.5B_compile.sh
16 64 sbatch --output=${HOME}/app-test/slurm-%A.out --cpus-per-task=128 --gres=rdu:16 BertLarge.sh
4 4 sbatch --output=log_gpt13b_ss2k_run.out --ntasks 4 --ntasks-per-node 4 --nodes 1 --gres=rdu:1 --cpus-per-task=32 Gpt13b_ss2k_run.sh
8 4 sbatch --output=log_gpt13b_ss8k_run.out --ntasks 8 --ntasks-per-node 8 --nodes 1 --gres=rdu:1 --cpus-per-task=16 Gpt13b_ss8k_run.sh
1 32 BATCH_SIZE=16 OUTPUT_PATH=single.out; /usr/local/bin/sbatch --output=${HOME}/slurm-%A.out --ntasks 1 --gres=rdu:8 --ntasks-per-node 16  --nodes 1 --nodelist $(hostname) --cpus-per-task=8  /data/ANL/scripts/Gpt1.5B_base_single_run.sh $BATCH_SIZE $2 >> ${OUTPUT_PATH} 2>&1
16 4 PROJ_DIR=$(pwd) OUTPUT_PATH=bert.out; /usr/local/bin/sbatch --output=${HOME}/slurm-%A.out --ntasks 16 --gres=rdu:8 --ntasks-per-node 16  --nodes 1 --nodelist $(hostname) --cpus-per-task=8  ${PROJ_DIR}/BertLarge_run.sh $1 >> ${OUTPUT_PATH} 2>&1
16 4 OUTPUT_PATH=gpt.out; /usr/local/bin/sbatch --output=${HOME}/slurm-%A.out --ntasks 16 --gres=rdu:8 --ntasks-per-node 16  --cpus-per-task=8 --nodes 1 --nodelist $(hostname) /data/ANL/scripts/Gpt1.5B_run.sh >> ${OUTPUT_PATH} 2>&1
GUIDE

# Two users on one node: two jobs request two half RDUs each, and two request nothing.
follow <<'GUIDE'
ann 2 8 sbatch --gres=rdu:2 your_script.sh
bob 2 8 sbatch --gres=rdu:2 your_script.sh
ann 1 4 ./Unet2d.sh run 256 256 1 unet2d_single_run
bob 1 4 ./Unet2d.sh run 256 256 1 unet2d_single_run
GUIDE
is 'all programs ran on one node' sn30-r1-h1 "$(taken | cut -d' ' -f1 | sort -u)"
# Two recipes that fill a node each.
follow <<'GUIDE'
ann 8 4 sbatch --output=log_gpt13b_ss8k_run.out --ntasks 8 --ntasks-per-node 8 --nodes 1 --gres=rdu:1 --cpus-per-task=16 Gpt13b_ss8k_run.sh
bob 4 4 sbatch --output=log_gpt13b_ss2k_run.out --ntasks 4 --ntasks-per-node 4 --nodes 1 --gres=rdu:1 --cpus-per-task=32 Gpt13b_ss2k_run.sh
GUIDE
guide_clean
