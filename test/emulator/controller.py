# SPDX-License-Identifier: GPL-2.0-or-later
"""The logic of a V-IPU controller: partitions, their states, and a file that keeps them. Does not depend on gRPC.

An operation that takes time stores only its start. It is complete when the *current* delay has passed since then, so a
test sets a long delay, checks, and ends the operation by setting a short one, without sleeping.
"""
import json
import os
import re
import threading
import time

import grpc

import interface
from pool import DOMAIN, Pool, power_of_two

CLUSTER = "cluster-1"
ERRORS = ("IPU-Machine ag03: IPU-Link training failed", "IPUoF server unreachable: 100% of 4 attempts failed")


class Refusal(Exception):
    """A call that ends with a gRPC status other than OK."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code
        self.text = text


def refuse(code, text):
    raise Refusal(getattr(grpc.StatusCode, code), text)


class Controller:
    """All calls take the lock, so that none sees another one half done."""

    def __init__(self, total, allocations, state_file, delays):
        """delays: an object with create() and remove(), in seconds, called each time."""
        self.pool = Pool(total)
        self.allocations = allocations
        self.state_file = state_file
        self.delays = delays
        self.lock = threading.RLock()
        self.partitions = {}
        self._read()

    # The file.

    def _read(self):
        if not self.state_file or not os.path.exists(self.state_file):
            return
        with open(self.state_file, encoding="utf-8") as file:
            self.partitions = json.load(file)["partitions"]
        for partition_id, partition in self.partitions.items():
            self.pool.blocks[partition_id] = (partition["first"], partition["size"])

    def _write(self):
        """Replace the file by rename, so that it is complete for readers and after a kill."""
        if not self.state_file:
            return
        with open(self.state_file + ".new", "w", encoding="utf-8") as file:
            json.dump({"partitions": self.partitions}, file, indent=1)
        os.replace(self.state_file + ".new", self.state_file)

    # States.

    def _settle(self):
        """Complete operations whose delay has passed."""
        now = time.time()
        for partition_id, partition in list(self.partitions.items()):
            operation = partition["operation"]
            if operation == "REMOVING":
                if now >= partition["since"] + self.delays.remove():
                    self._forget(partition_id)
            elif operation in ("CREATING", "RESETTING") and partition["fate"] != "never":
                if now >= partition["since"] + self.delays.create():
                    broken = partition["fate"] == "error"
                    self._become(partition, "ERROR" if broken else "ACTIVE", "FAILED" if broken else "IDLE")

    def _become(self, partition, ready, operation):
        partition.update(ready=ready, operation=operation, since=time.time())
        self._write()

    def _forget(self, partition_id):
        del self.partitions[partition_id]
        del self.pool.blocks[partition_id]
        self._write()

    def _find(self, partition_id):
        self._settle()
        if partition_id not in self.partitions:
            refuse("NOT_FOUND", f"partition '{partition_id}' does not exist")
        return self.partitions[partition_id]

    # Calls.

    def create(self, request, fate):
        """fate: None, "error" (the partition fails) or "never" (it stays pending)."""
        wish = request.requirements
        self._check(wish)
        with self.lock:
            self._settle()
            if wish.id in self.partitions:
                refuse("ALREADY_EXISTS", f"partition '{wish.id}' already exists")
            first = self.pool.place(wish.size)
            if first is None:
                refuse(
                    "RESOURCE_EXHAUSTED",
                    f"no aligned block of {wish.size} IPUs: {self.pool.free()} of {self.pool.total} IPUs are free, "
                    f"the largest block is {self.pool.largest()}",
                )
            self.pool.blocks[wish.id] = (first, wish.size)
            self.partitions[wish.id] = {
                "first": first,
                "size": wish.size,
                "gcds": wish.num_gcds or 1,
                "replicas": wish.num_replicas or wish.num_gcds or 1,
                "segments": wish.num_ipulink_segments or 1,
                "reconfigurable": wish.reconfigurable,
                "allocation": wish.allocation_id or self.allocations[0],
                "auto_reset": not request.disable_auto_reset,
                "relocatable": request.relocatable,
                "fate": fate,
            }
            self._become(self.partitions[wish.id], "PENDING", "CREATING")
            self._settle()
        return interface.message("CreatePartitionReply")(partition_id=wish.id)

    def _check(self, wish):
        segments, gcds = wish.num_ipulink_segments or 1, wish.num_gcds or 1
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", wish.id):
            refuse("INVALID_ARGUMENT", f"partition id '{wish.id}': 1 to 64 letters, digits and _.- are allowed")
        if not power_of_two(wish.size):
            refuse("INVALID_ARGUMENT", f"size {wish.size} is not a power of 2")
        if wish.size > self.pool.total:
            refuse("INVALID_ARGUMENT", f"size {wish.size} exceeds the {self.pool.total} IPUs of {CLUSTER}")
        if segments != max(1, wish.size // DOMAIN):
            refuse(
                "INVALID_ARGUMENT",
                f"{wish.size} IPUs take {max(1, wish.size // DOMAIN)} IPU-Link domains, not {segments} segments",
            )
        if not power_of_two(gcds) or gcds > wish.size:
            refuse("INVALID_ARGUMENT", f"{wish.size} IPUs cannot be divided into {gcds} GCDs")
        if wish.ipus:
            refuse("INVALID_ARGUMENT", "a choice of IPUs by number is not emulated")
        if wish.cluster_id and wish.cluster_id != CLUSTER:
            refuse("NOT_FOUND", f"cluster '{wish.cluster_id}' does not exist")
        if wish.allocation_id and wish.allocation_id not in self.allocations:
            refuse("NOT_FOUND", f"allocation '{wish.allocation_id}' does not exist")

    def remove(self, request, trouble):
        """trouble: None, "stuck" (needs force) or "immortal"."""
        with self.lock:
            partition = self._find(request.partition_id)
            if trouble == "immortal" or trouble == "stuck" and not request.force:
                refuse("INTERNAL", f"partition '{request.partition_id}': IPU-Machine ag03 did not answer")
            if partition["operation"] != "REMOVING":
                self._become(partition, "PENDING", "REMOVING")
                self._settle()
        return interface.message("RemovePartitionReply")()

    def reset(self, request):
        with self.lock:
            partition = self._find(request.partition_id)
            if partition["operation"] not in ("IDLE", "FAILED"):
                refuse("FAILED_PRECONDITION", f"partition '{request.partition_id}' is {partition['operation'].lower()}")
            partition["fate"] = None
            self._become(partition, "PENDING", "RESETTING")
            self._settle()
        return interface.message("ResetPartitionReply")()

    def look(self, partition_id):
        """Return a copy of a partition's record."""
        with self.lock:
            return dict(self._find(partition_id))

    def look_all(self):
        """Return copies of all records by name, in the order of creation."""
        with self.lock:
            self._settle()
            return {partition_id: dict(partition) for partition_id, partition in self.partitions.items()}


def errors_of(partition):
    return ERRORS if partition["ready"] == "ERROR" else ()
