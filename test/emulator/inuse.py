# SPDX-License-Identifier: GPL-2.0-or-later
"""The use of accelerators in the lab: a file NODE.PID for each process in the lab's directory `use`."""
import json
import os
import signal
import sys
import time


def directory():
    return os.path.join(os.environ["TESSERA_LAB"], "use")


def device(node):
    """Return the device that a program on the node's tiles opens."""
    return os.path.join(os.environ["TESSERA_LAB"], "dev", node, "rdu")


def tiles_per_rdu(node):
    """Return the number of tiles of an RDU; each node of the lab has eight RDUs."""
    return 8 if node.startswith("sn30-") else 4


def use(node, what, stubborn=False, linger=0):
    """Record the use, and wait until this process is signalled or its parent ends."""

    def end(*_):
        time.sleep(linger)
        sys.exit(0)

    signal.signal(signal.SIGTERM, signal.SIG_IGN if stubborn else end)
    name = os.path.join(directory(), f"{node}.{os.getpid()}")
    with open(name + ".new", "w", encoding="ascii") as file:
        json.dump(what, file)
    os.rename(name + ".new", name)
    try:
        while True:
            signal.pause()
    finally:
        os.unlink(name)


def users(node):
    """Return the use of each running process on the node, by its PID."""
    found = {}
    for name in os.listdir(directory()):
        owner, _, pid = name.rpartition(".")
        if owner != node or not os.path.exists(f"/proc/{pid}"):
            continue
        with open(os.path.join(directory(), name), encoding="ascii") as file:
            found[int(pid)] = json.load(file)
    return found
