#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The lab has a V-IPU controller that keeps its partitions over a restart, fails when told to, and the vendor's programs find it.
. "$(dirname "$0")/lib.sh"

is 'a new controller' '' "$(vipu list)"
fine vipu create lab_a 4 --reconfigurable
fine vipu create lab_b 32
is 'two partitions' 'lab_a 4 ACTIVE lab_b 32 ACTIVE' "$(vipu list | xargs)"
read -r before _ <"$TESSERA_LAB/pids/vipu"
fine "$lab" restart vipu
read -r after _ <"$TESSERA_LAB/pids/vipu"
[ "$before" != "$after" ] || broken 'the controller was not restarted'
is 'still two' 'lab_a 4 ACTIVE lab_b 32 ACTIVE' "$(vipu list | xargs)"

# In a job of an ordinary user.
port=$(($(cat "$TESSERA_LAB/port") + 15))
like 'vipu in a job' "^host: 127.0.0.1:$port\$" "$(ann srun -p p64 vipu --server-version)"
like 'the table' '^ lab_b .* 32 .* ACTIVE$' "$(ann srun -p p64 vipu list partitions)"
refused ann srun -p p64 -Q poprun python3 train.py
like 'two to choose from' 'there are 2 V-IPU partitions' "$said"
like 'poprun' '^partition lab_a: 4 IPUs' "$(ann srun -p p64 poprun --vipu-partition=lab_a python3 train.py)"
ipuof=(IPUOF_VIPU_API_HOST=127.0.0.1 "IPUOF_VIPU_API_PORT=$port" IPUOF_VIPU_API_PARTITION_ID=lab_a)
like 'a program' '^attached to 4 of 4 IPUs$' "$(ann srun -p p64 env "${ipuof[@]}" EXPECT_IPUS=4 ipu-python train.py)"
refused ann srun -p p64 -Q env "${ipuof[@]}" EXPECT_IPUS=8 ipu-python train.py

# Clients see faults; lab vipu does not.
fine vipu fault unavailable
refused run vipu list partitions
like 'the fault' 'UNAVAILABLE' "$said"
is 'what really is' 'lab_a 4 ACTIVE lab_b 32 ACTIVE' "$(vipu list | xargs)"
fine vipu fault none
fine run vipu remove partition lab_a
fine vipu remove lab_b
is 'none is left' '' "$(vipu list)"
like 'a line for each call' 'RemovePartition id=lab_a status=OK timeout=10 from=client' "$("$lab" logs vipu)"
