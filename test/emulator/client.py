# SPDX-License-Identifier: GPL-2.0-or-later
"""Client of a V-IPU controller, for the emulate command and the stand-ins."""
import os
import re

import grpc

import interface


class Controller:
    """The calls, as methods: controller.call("CreatePartition", ...)."""

    def __init__(self, host, port, user=None, key=None, timeout=10, credentials=None):
        self.address = f"{host}:{port}"
        self.timeout = timeout
        self.metadata = [("api-user-id", user), ("api-access-key", key or "")] if user else []
        # Ignore web proxies, and accept replies of any size.
        options = [("grpc.enable_http_proxy", 0), ("grpc.max_receive_message_length", 4 << 20)]
        if credentials:
            self.channel = grpc.secure_channel(self.address, credentials, options)
        else:
            self.channel = grpc.insecure_channel(self.address, options)

    def call(self, name, **fields):
        """Return the reply; grpc.RpcError if the call failed, ValueError if it succeeded without a reply."""
        method = interface.METHODS[name]
        stub = self.channel.unary_unary(method.path, method.request.SerializeToString, method.reply.FromString)
        reply = stub(method.request(**fields), timeout=self.timeout, metadata=self.metadata)
        if reply is None:
            raise ValueError(f"{name} succeeded without a reply")
        return reply

    def create(self, partition_id, size, relocatable=False, **wishes):
        wish = interface.message("PartitionRequirements")(id=partition_id, size=size, **wishes)
        return self.call("CreatePartition", requirements=wish, relocatable=relocatable)

    def status(self, partition_id):
        """Return ready state, operation state and errors."""
        status = self.call("GetPartitionStatus", partition_id=partition_id).status
        return (
            interface.name("PartitionReadyState", status.ready_state),
            interface.name("PartitionOperationState", status.operation_state),
            list(status.errors),
        )

    def partitions(self):
        """Return the partitions by name, with their sizes in .spec.ipus and states in .ready_state."""
        return {partition.id: partition for partition in self.call("ListPartitions").partitions}


def state_of(partition):
    return interface.name("PartitionReadyState", partition.ready_state)


def split_address(text, port):
    """Split HOST or HOST:PORT into host and port."""
    host, colon, tail = text.rpartition(":")
    return (host, int(tail)) if colon and tail.isdigit() else (text, int(port))


def read_hcl(path):
    """Read the lines NAME = VALUE of the configuration of the vendor's client."""
    with open(path, encoding="utf-8") as file:
        pairs = re.findall(r'^\s*([a-z-]+)\s*=\s*"?([^"\n]*?)"?\s*$', file.read(), re.MULTILINE)
    return dict(pairs)


def site_configuration():
    """The lab's etc/vipu-cli.hcl stands for /etc/vipu/vipu-cli.hcl of a real host."""
    path = os.path.join(interface.HERE, "..", "etc", "vipu-cli.hcl")
    return read_hcl(path) if os.path.exists(path) else {}


def failure(error):
    """Describe an RpcError."""
    return f"{error.code().name}: {error.details()}"
