#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119
# A root without the right to inspect other users' processes cannot determine the users of a device:
# no tiles are released, no process is signalled, and guard reports it. A root with that right is
# not hindered by any process, however it hides.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/leftover.bash"

blind() {
	local command=$1
	shift
	run setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace tessera "$command" --node=$node --conf="$conf" "$@"
}
unknown="cannot inspect process [0-9]+ \(.*\) of uid $ann_id: Permission denied"

policy 'LeftoverProcesses = quarantine' 'PlaceWait = 0'
job=$(leave_process)
finishes "$job"
await_withheld "$job"
pid=$(leftover_pids)
like 'a dry run would withhold the tiles' "^job $job .* rdu0 would be withheld: cannot determine which processes use the device: $unknown" "$(blind reap --dry-run)"
like 'reap withholds the tiles' "^job $job .* rdu0 withheld: cannot determine which processes use the device: $unknown" "$(blind reap)"
like 'status shows the reason' "cannot determine which processes use the device: $unknown" "$(status)"
policy 'LeftoverProcesses = kill' 'LeftoverWait = 0' 'PlaceWait = 0'
like 'reap with kill withholds the tiles' "^job $job .* rdu0 withheld: cannot determine" "$(blind reap 2>&1)"
is 'the process is still running' "$pid" "$(leftover_pids)"
code=0
said=$(blind guard 2>&1) || code=$?
is 'the exit code of guard is 3' 3 "$code"
like 'guard says why' 'cannot inspect process [0-9]+ \(.*\) of uid [0-9]+: Permission denied' "$said"

# A reap that can inspect all: first a process holds the device, then none does.
policy 'LeftoverProcesses = quarantine' 'PlaceWait = 0'
like 'reap names the process' "^job $job .* rdu0 withheld: process $pid \(use-tiles\) of uid $ann_id still holds $device\$" "$(reap)"

# A process of ann that hides as well as it can: in its own user namespace, where users may create
# one, not dumpable, and with an open file whose path is too long for the kernel to report.
hidden=$(home ann)/hidden
trap 'rm -rf "$hidden"; kill_leftovers; mv -f "$conf.saved" "$conf"; rm -f "$TESSERA_LAB"/use/*' EXIT
ann /usr/bin/python3 - "$hidden" <<'PYTHON' &
import ctypes, os, sys, time
base = sys.argv[1]
os.mkdir(base)
os.chdir(base)
for _ in range(25):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
deep = open("deep", "w")
libc = ctypes.CDLL(None)
libc.unshare(0x10000000)
if libc.prctl(4, 0, 0, 0, 0) < 0:
    sys.exit("it can be dumped")
open(base + "/ready", "w").close()
while os.path.exists(base + "/ready"):
    time.sleep(0.1)
PYTHON
await 'the hidden process runs' [ -e "$hidden/ready" ]
kill_leftovers
like 'the tiles are released despite the hidden process' "^job $job .* rdu0 released\$" "$(reap)"
is 'no row is left in the ledger' '' "$(rows $node)"
rm -rf "$hidden"
wait
