# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of a V-IPU controller, for the emulate command and the stand-ins."""
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
        # A proxy for the web is none for us; and replies are as large as they are.
        options = [("grpc.enable_http_proxy", 0), ("grpc.max_receive_message_length", 4 << 20)]
        if credentials:
            self.channel = grpc.secure_channel(self.address, credentials, options)
        else:
            self.channel = grpc.insecure_channel(self.address, options)

    def call(self, name, **fields):
        """The reply; grpc.RpcError if the call failed, ValueError if it succeeded without one."""
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
        """Ready state, operation state and errors."""
        status = self.call("GetPartitionStatus", partition_id=partition_id).status
        return (
            interface.name("PartitionReadyState", status.ready_state),
            interface.name("PartitionOperationState", status.operation_state),
            list(status.errors),
        )

    def partitions(self):
        """By name, with their sizes and states in .spec.ipus and .ready_state."""
        return {partition.id: partition for partition in self.call("ListPartitions").partitions}


def state_of(partition):
    return interface.name("PartitionReadyState", partition.ready_state)


def split_address(text, port):
    """HOST or HOST:PORT as host and port."""
    host, colon, tail = text.rpartition(":")
    return (host, int(tail)) if colon and tail.isdigit() else (text, int(port))


def read_hcl(path):
    """The lines NAME = VALUE of the vendor's client's configuration."""
    with open(path, encoding="utf-8") as file:
        pairs = re.findall(r'^\s*([a-z-]+)\s*=\s*"?([^"\n]*?)"?\s*$', file.read(), re.MULTILINE)
    return dict(pairs)


def site_configuration():
    """What /etc/vipu/vipu-cli.hcl is on a real host is etc/vipu-cli.hcl in the lab."""
    path = os.path.join(interface.HERE, "..", "etc", "vipu-cli.hcl")
    return read_hcl(path) if os.path.exists(path) else {}


def failure(error):
    """An RpcError in words."""
    return f"{error.code().name}: {error.details()}"
