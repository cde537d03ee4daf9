#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119
# Who may not look at others' processes does not know who holds the device: no tiles are given back then, nobody is ended,
# and guard says that it does not know. Root that may is kept from it by no process, however it hides.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/stale.bash"

blind() {
	local command=$1
	shift
	run setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace tessera "$command" --node=$node --conf="$conf" "$@"
}
unknown="process [0-9]+ \(.*\) of uid $ann_id cannot be looked at: Permission denied"

policy 'StaleHolders = quarantine' 'PlaceWait = 0'
job=$(leave)
finishes "$job"
kept_back "$job"
pid=$(left)
like 'a dry run' "^job $job .* rdu0 would be kept back: it is not known who holds the device: $unknown" "$(blind reap --dry-run)"
like 'reap' "^job $job .* rdu0 kept back: it is not known who holds the device: $unknown" "$(blind reap)"
like 'as status shows it' "it is not known who holds the device: $unknown" "$(status)"
policy 'StaleHolders = kill' 'StaleWait = 0' 'PlaceWait = 0'
like 'reap that ends' "^job $job .* rdu0 kept back: it is not known" "$(blind reap 2>&1)"
is 'it is there' "$pid" "$(left)"
code=0
said=$(blind guard 2>&1) || code=$?
is 'guard does not know' 3 "$code"
like 'and says why' 'process [0-9]+ \(.*\) of uid [0-9]+ cannot be looked at: Permission denied' "$said"

# One that sees: first what holds the device, then that nobody does any more.
policy 'StaleHolders = quarantine' 'PlaceWait = 0'
like 'who sees' "^job $job .* rdu0 kept back: process $pid \(use-tiles\) of uid $ann_id still holds $device\$" "$(reap)"

# A process of ann's that hides as well as it can: in a user namespace of its own, where users may have one, not to be
# dumped, and with a file whose name is too long for the kernel to tell.
hidden=$(home ann)/hidden
trap 'rm -rf "$hidden"; end_left; mv -f "$conf.saved" "$conf"; rm -f "$TESSERA_LAB"/use/*' EXIT
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
await 'it hides' [ -e "$hidden/ready" ]
end_left
like 'it hides nothing that counts' "^job $job .* rdu0 given back\$" "$(reap)"
is 'all is free' '' "$(rows $node)"
rm -rf "$hidden"
wait
