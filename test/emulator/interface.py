# SPDX-License-Identifier: GPL-2.0-or-later
"""The controller's messages and calls, created from lib/vipu/vipu.proto.

protoc writes a description to standard output, and the classes are created from it in memory, so that no generated
file can be out of date.
"""
import os
import subprocess

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

HERE = os.path.dirname(os.path.realpath(__file__))


def _proto_directory():
    """Find the file beside this one, where the lab copies it, or in lib/vipu/ of the source tree."""
    for directory in (HERE, os.path.join(HERE, "..", "..", "lib", "vipu")):
        if os.path.exists(os.path.join(directory, "vipu.proto")):
            return os.path.realpath(directory)
    raise FileNotFoundError("vipu.proto is neither beside " + HERE + " nor in lib/vipu/")


def _load():
    command = ["protoc", "-I", _proto_directory(), "--descriptor_set_out=/dev/stdout", "vipu.proto"]
    description = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(description).file:
        pool.Add(file)
    return pool


_pool = _load()
_factory = message_factory.MessageFactory(_pool)


def message(name):
    """Return the class of a message by its name in the file."""
    return _factory.GetPrototype(_pool.FindMessageTypeByName("virmgrpc." + name))


def number(enum, name):
    """Return the number of an enum's value."""
    return _pool.FindEnumTypeByName("virmgrpc." + enum).values_by_name[name].number


def name(enum, value):
    """Return the name of an enum's value without its prefix: ACTIVE for PS_ACTIVE."""
    known = _pool.FindEnumTypeByName("virmgrpc." + enum).values_by_number
    return known[value].name.split("_", 1)[1] if value in known else str(value)


class Method:
    """A call: its path, and the classes of its request and reply."""

    def __init__(self, descriptor):
        self.name = descriptor.name
        self.path = f"/{descriptor.containing_service.full_name}/{descriptor.name}"
        self.request = _factory.GetPrototype(descriptor.input_type)
        self.reply = _factory.GetPrototype(descriptor.output_type)


METHODS = {
    descriptor.name: Method(descriptor)
    for service in ("UserService", "VersionService")
    for descriptor in _pool.FindServiceByName("virmgrpc." + service).methods
}
