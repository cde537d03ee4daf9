#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The lab has a V-IPU controller that keeps its partitions over a restart and fails on demand, and
# the stand-ins for the vendor's programs find it.
. "$(dirname "$0")/lib.sh"

is 'a new controller has no partitions' '' "$(vipu list)"
fine vipu create lab_a 4 --reconfigurable
fine vipu create lab_b 32
is 'two partitions are created' 'lab_a 4 ACTIVE lab_b 32 ACTIVE' "$(vipu list | xargs)"
read -r before _ <"$TESSERA_LAB/pids/vipu"
fine "$lab" restart vipu
read -r after _ <"$TESSERA_LAB/pids/vipu"
[ "$before" != "$after" ] || fail 'the controller was not restarted'
is 'the partitions survive a restart' 'lab_a 4 ACTIVE lab_b 32 ACTIVE' "$(vipu list | xargs)"

# In a job of a user.
port=$(($(cat "$TESSERA_LAB/port") + 15))
like 'vipu finds the controller in a job' "^host: 127.0.0.1:$port\$" "$(ann srun -p p64 vipu --server-version)"
like 'vipu lists the partitions' '^ lab_b .* 32 .* ACTIVE$' "$(ann srun -p p64 vipu list partitions)"
refused ann srun -p p64 -Q poprun python3 train.py
like 'poprun cannot choose between two partitions' 'there are 2 V-IPU partitions' "$said"
like 'poprun uses the named partition' '^partition lab_a: 4 IPUs' "$(ann srun -p p64 poprun --vipu-partition=lab_a python3 train.py)"
ipuof=(IPUOF_VIPU_API_HOST=127.0.0.1 "IPUOF_VIPU_API_PORT=$port" IPUOF_VIPU_API_PARTITION_ID=lab_a)
like 'a program attaches to its IPUs' '^attached to 4 of 4 IPUs$' "$(ann srun -p p64 env "${ipuof[@]}" EXPECT_IPUS=4 ipu-python train.py)"
refused ann srun -p p64 -Q env "${ipuof[@]}" EXPECT_IPUS=8 ipu-python train.py

# Clients see faults; the command lab vipu does not.
fine vipu fault unavailable
refused run vipu list partitions
like 'a client sees the fault' 'UNAVAILABLE' "$said"
is 'lab vipu still lists the partitions' 'lab_a 4 ACTIVE lab_b 32 ACTIVE' "$(vipu list | xargs)"
fine vipu fault none
fine run vipu remove partition lab_a
fine vipu remove lab_b
is 'no partition is left' '' "$(vipu list)"
like 'each call is logged' 'RemovePartition id=lab_a status=OK timeout=10 from=client' "$("$lab" logs vipu)"
