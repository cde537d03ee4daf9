# SPDX-License-Identifier: GPL-2.0-or-later
"""Broken parts of the lab, in its directory `sick`: a file with the name of each node has a line for each part, and
fault.TOOL has the fault of a tool. A part is what snfadm calls Offline ("/NODE/XRDU_1/RDU_1/TILE_5"), what
snconfig calls not perfect ("hung /NODE/..."), or an IPU ("10.1.5.10 2")."""
import os
import sys
import time


def path_of(name):
    return os.path.join(os.environ["TESSERA_LAB"], "sick", name)


def lines(name):
    try:
        with open(path_of(name), encoding="ascii") as file:
            return file.read().split("\n")[:-1]
    except FileNotFoundError:
        return []


def broken():
    """Return the broken parts of this node."""
    return lines(os.environ["SLURMD_NODENAME"])


def fault(tool):
    """Return the fault of TOOL, or "". A tool that hangs does so until its fault is removed."""
    while "hang" in lines(f"fault.{tool}"):
        with open(path_of(f"hangs.{tool}"), "w", encoding="ascii"):
            time.sleep(0.05)
    kind = "".join(lines(f"fault.{tool}"))
    if kind == "fail":
        sys.exit(f"{tool}: SND is not running")
    if kind == "garbage":
        print("Segmentation fault")
        sys.exit(0)
    return kind


def tiles():
    """Return XRDU, RDU and tile of each tile of this node."""
    per_rdu = 8 if os.environ["SLURMD_NODENAME"].startswith("sn30-") else 4
    return [(xrdu, rdu, tile) for xrdu in range(4) for rdu in range(2) for tile in range(per_rdu)]
