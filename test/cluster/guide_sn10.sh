#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The recipes and command lines of ALCF's user guides for the SN10 machines, verbatim, under one
# configuration: every program has an RDU to itself, alone and beside another user's.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/guides.bash
. "$(dirname "$0")/guides.bash"

guide_up sn10:2 sm-01 sn-python
scripts <<'GUIDE'
==> submit-lenet-job.sh
#!/bin/sh

python lenet.py compile -b=1 --pef-name="lenet" --output-folder="pef"
python lenet.py run --pef="pef/lenet/lenet.pef"
==> submit-ffn_mnist-job.sh
#!/bin/sh
python ffn_mnist.py compile --pef-name="ffn_mnist" --output-folder="pef"
python ffn_mnist.py run --pef="pef/ffn_mnist/ffn_mnist.pef" --data-path mnist_data
==> submit-logreg-job.sh
#!/bin/sh
python logreg.py compile --pef-name="logreg" --output-folder="pef"
python logreg.py test --pef="pef/logreg/logreg.pef"
python logreg.py run --pef="pef/logreg/logreg.pef"
==> submit-my_model-job.sh
#!/bin/sh
python my_model.py run --pef="pef/my_model/my_model.pef"
==> submit-unet-job.sh
#!/bin/sh
export OUTDIR=~/apps/image/unet
export DATADIR=/software/sambanova/dataset/kaggle_3m
./unet_compile_run_inf_rl.sh compile 32 1
./unet_compile_run_inf_rl.sh test 32 1
./unet_compile_run_inf_rl.sh run 32 1
==> unet_compile_run_inf_rl.sh
#! /bin/bash -x
set -e
BS=$3
source /opt/sambaflow/venv/bin/activate
if [ "${1}" == "compile" ] ; then
python unet.py compile -b ${BS} --in-channels=3 --in-width=${2} --in-height=${2} --enable-conv-tiling --mac-v2 --pef-name="unet_train_${BS}_${2}"
elif [ "${1}" == "test" ] ; then
python unet.py  test --in-channels=3 --in-width=${2} --in-height=${2} --init-features 32 --batch-size=${BS} --pef="out/unet_train_${BS}_${2}/unet_train_${BS}_${2}.pef"
elif [ "${1}" == "run" ] ; then
python unet_hook.py  run --num-workers=3 --do-train --in-channels=3 --in-width=${2} --in-height=${2} --init-features 32 --batch-size=${BS} --epochs 50 --pef=out/unet_train_${BS}_${2}/unet_train_${BS}_${2}.pef > run_${2}_${BS}.log 2>&1
fi
==> unet_all.sh
#! /bin/bash -x
set -e
#
# Usage: ./unet_all.sh 256 256
#
SECONDS=0
# IMage size.
IM=${1}
# Batch Size
BS=${2}
NUM_WORKERS=1
export OMP_NUM_THREADS=16
source /opt/sambaflow/venv/bin/activate
UNET=$(pwd)/unet
echo "Model: UNET"
echo "Date: " $(date +%m/%d/%y)
echo "Time: " $(date +%H:%M)

echo "COMPILE"
# Compile for parallel RDUs
if [ ! -e out/unet_train_${BS}_${IM}_NN/unet_train_${BS}_${IM}_NN.pef ] ; then
  python ${UNET}/unet.py compile -b ${BS} --in-channels=3 --in-width=${IM} --in-height=${IM} --enable-conv-tiling --mac-v2 --compiler-configs-file ${UNET}/jsons/compiler_configs/unet_compiler_configs_no_inst.json --pef-name="unet_train_${BS}_${IM}_NN"  --data-parallel -ws 2 > compile_${BS}_${IM}_NN.log 2>&1
fi
# Run Multi-Node, Data Parallel
NN=2
echo "RUN"
echo "NN=${NN}"
sbatch --gres=rdu:1 --tasks-per-node 8  --nodes 2 --nodelist sm-02,sm-01 --cpus-per-task=16 ./unet_batch.sh ${NN} ${NUM_WORKERS}
echo "Duration: " $SECONDS
==> unet_batch.sh
#! /bin/bash -x
set -e
#
# Usage: ./unet_batch.sh 2 1
#
SECONDS=0
# Batch Size
BS=256

# IMage size
IM=256
NN=${1}
NUM_WORKERS=${2}
export OMP_NUM_THREADS=16
DATADIR=/software/sambanova/dataset/kaggle_3m
UNET=$(pwd)/unet
export SAMBA_CCL_USE_PCIE_TRANSPORT=0
source /opt/sambaflow/venv/bin/activate
echo "Model: UNET_TRAIN"
echo "Date: " $(date +%m/%d/%y)
echo "Time: " $(date +%H:%M)
srun --mpi=pmi2 python ${UNET}/unet_hook.py  run --do-train --in-channels=3 --in-width=${IM} --in-height=${IM} --init-features 32 --batch-size=${BS} --epochs 2   --data-dir ${DATADIR} --log-dir log_dir_unet_${NN}_train_kaggle --pef=$(pwd)/out/unet_train_${BS}_${IM}_NN/unet_train_${BS}_${IM}_NN.pef --data-parallel --reduce-on-rdu --num-workers=${NUM_WORKERS}
echo "Duration: " $SECONDS
==> compile_dataparallel.sh
#!/bin/bash
export OMP_NUM_THREADS=8
source /opt/sambaflow/venv/bin/activate
#######################
# Run script
# sbatch compile_dataparallel.sh
#######################
# Start script timer
SECONDS=0

echo "COMPILE"
# -b is the batch size.
python sn_boilerplate_main.py compile --data-parallel -ws 2 -b=1 --pef-name=sn_boilerplate --output-folder="pef"

echo "Duration: " $SECONDS
==> run.sh
#!/bin/sh
#######################
# Run script
# sbatch run.sh
#######################

# -b is the batch size.
python sn_boilerplate_main.py compile -b=1 --pef-name="sn_boilerplate" --output-folder="pef"
python sn_boilerplate_main.py run --pef="pef/sn_boilerplate/sn_boilerplate.pef"
==> run_dataparallel.sh
#!/bin/bash
# Stop on error
set -e
# Print commands
set -x

#######################
# Run script
# sbatch --gres=rdu:2 run_dataparallel.sh
#######################
# Edit these variables.
#######################
MODEL_NAME="FFNLogReg"
#######################
# Start script timer
SECONDS=0

echo "Model: ${MODEL_NAME}"
echo "Date: " $(date +%m/%d/%y)
echo "Time: " $(date +%H:%M)

echo "COMPILE separately using compile_dataparallel.sh!!"

echo "RUN"
/opt/mpich-3.3.2/bin/mpirun -np 2 python sn_boilerplate_main.py run --data-parallel --reduce-on-rdu --pef=pef/sn_boilerplate/sn_boilerplate.pef

echo "Duration: " $SECONDS
==> run_openmpi.sh
#!/bin/bash
mpirun.openmpi -np 2 python sn_boilerplate_main.py run --data-parallel --reduce-on-rdu --pef=pef/sn_boilerplate/sn_boilerplate.pef
GUIDE

# Without any configuration eight programs on each of two nodes share one RDU.
type_all <<<'ann 16 4 ./unet_all.sh 256 256'
is 'only two of 16 programs have tiles' $'2 tess-ann 4\n14 tess-ann none' "$(had | sed 's/ of .*//' | tally)"

# With Unasked = none a job that requests nothing has an empty mask.
partition_keys sn10 'Unasked = none' </dev/null
type_all <<<'ann 1 4 srun python lenet.py run --pef="pef/lenet/lenet.pef"'
is 'a job that requests nothing has an empty mask' '1 tess-ann none of 0x00000000' "$(had | tally)"

keys='RduScope = auto TilesPerTask = 4 Unasked = default Default = "rdu:1"'
partition_keys sn10 "$keys" </dev/null
alone <<'GUIDE'
0 - srun python lenet.py compile -b=1 --pef-name="lenet" --output-folder="pef"
1 4 srun python lenet.py run --pef="pef/lenet/lenet.pef"
1 4 srun python lenet.py test --pef="pef/lenet/lenet.pef"
0 - srun --nodelist=sm-02 python lenet.py compile -b=1 --pef-name="lenet" --output-folder="pef"
1 4 sbatch --output=pef/lenet/output.log submit-lenet-job.sh
0 - srun python ffn_mnist.py compile --pef-name="ffn_mnist" --output-folder="pef"
1 4 srun python ffn_mnist.py run --pef="pef/ffn_mnist/ffn_mnist.pef" --data-path mnist_data
1 4 sbatch --output=pef/ffn_mnist/output.log submit-ffn_mnist-job.sh
0 - srun python logreg.py compile --pef-name="logreg" --output-folder="pef"
1 4 srun python logreg.py test --pef="pef/logreg/logreg.pef"
1 4 srun python logreg.py run --pef="pef/logreg/logreg.pef"
1+1 4 sbatch --output=pef/logreg/output.log submit-logreg-job.sh
0 - sbatch unet_compile_run_inf_rl.sh compile 32 1  # Takes over 15 minutes.
1 4 sbatch unet_compile_run_inf_rl.sh test 32 1     # Very fast.
1 4 sbatch unet_compile_run_inf_rl.sh run 32 1      #
1+1 4 sbatch submit-unet-job.sh
1 4 sbatch --output=pef/my_model/output.log submit-my_model-job.sh
16 4 ./unet_all.sh 256 256
0 - sbatch compile_dataparallel.sh
2 8 sbatch --gres=rdu:2 run_dataparallel.sh
1 4 sbatch run.sh
0 - squeue
0 - sinfo -O AllocNodes, GresUsed, Gres, NodeList
GUIDE
# Open MPI starts as many programs as the job has tasks, and no more.
alone <<<'2 8 sbatch --gres=rdu:1 --ntasks 2 run_openmpi.sh'

# Two users on one node.
follow <<'GUIDE'
ann 2 8 sbatch --gres=rdu:2 run_dataparallel.sh
bob 2 8 sbatch --gres=rdu:2 run_dataparallel.sh
ann 1 4 srun python lenet.py run --pef="pef/lenet/lenet.pef"
bob 1 4 sbatch run.sh
GUIDE
is 'all programs ran on one node' sm-01 "$(taken | cut -d' ' -f1 | sort -u)"

# "Here we are specifying tiles six and seven": the job has RDUs 6 and 7.
partition_keys sn10 "$keys" <<<'UserMask = wish'
alone <<<'2 8 export SF_RNT_TILE_AFFINITY=0xff000000; sbatch --gres=rdu:2 run_dataparallel.sh'
is 'the job has the RDUs of its wish' $'sm-01 24\nsm-01 28' "$(taken | sort)"
guide_clean
