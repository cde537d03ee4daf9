# SPDX-License-Identifier: GPL-2.0-or-later
"""The gRPC service: checks access, applies faults, calls the controller, and logs each call."""
import json
import math
import sys
import threading
import time

import grpc
from google.protobuf import json_format

import faults
import frames
import interface
import replies
from controller import Refusal


FOREVER = 1 << 30  # seconds; gRPC says more than that when the client set no deadline


class Service:
    """Answers every call of both services."""

    def __init__(self, controller, control, front, credentials):
        """credentials: None, or the user and the key that calls must have."""
        self.controller = controller
        self.control = control
        self.front = front
        self.credentials = credentials
        self.log_lock = threading.Lock()

    def handlers(self, back):
        """For grpc.Server.add_generic_rpc_handlers(). back: calls without faults that need no key."""
        services = {}
        for method in interface.METHODS.values():
            _, service, name = method.path.split("/")
            services.setdefault(service, {})[name] = grpc.unary_unary_rpc_method_handler(
                self._handler(name, back), method.request.FromString, bytes
            )
        return [grpc.method_handlers_generic_handler(*service) for service in services.items()]

    def _handler(self, name, back):
        return lambda request, context: self.call(name, request, context, back)

    def call(self, name, request, context, back):
        """Return the bytes of the reply."""
        fault = None if back else self.control.for_call(name)
        if fault == "hang":
            # Log the line now, so that a test can wait for it.
            self._log(name, request, context, back, fault, "NONE")
            self._wait(context, math.inf)
            context.abort(grpc.StatusCode.CANCELLED, fault)
        try:
            if not back:
                self._authenticate(context)
            self._before(name, fault, context)
            reply = self._answer(name, request, fault).SerializeToString()
        except Refusal as refusal:
            self._log(name, request, context, back, fault, refusal.code.name)
            context.abort(refusal.code, refusal.text)
        self._log(name, request, context, back, fault, "OK")
        return self._after(reply, fault, context)

    def _authenticate(self, context):
        if not self.credentials:
            return
        metadata = dict(context.invocation_metadata())
        if (metadata.get("api-user-id"), metadata.get("api-access-key")) != self.credentials:
            raise Refusal(*faults.STATUSES["unauthenticated"])

    def _before(self, name, fault, context):
        """Apply faults for which the call is not carried out."""
        if fault in faults.STATUSES:
            raise Refusal(*faults.STATUSES[fault])
        if fault == "old" and name != "GetVersion":
            raise Refusal(grpc.StatusCode.UNIMPLEMENTED, "unknown service virmgrpc.UserService")
        if fault in faults.CONNECTION:
            self.front.misbehave(context.peer(), fault)
            raise Refusal(grpc.StatusCode.CANCELLED, fault)

    def _after(self, reply, fault, context):
        """Apply faults of the reply to a call that was carried out."""
        if fault == "slow":
            self._wait(context, faults.SLOW)
        elif fault == "lost":
            self._wait(context, math.inf)
        elif fault == "oversized":
            reply += frames.unknown_field(bytes(faults.OVERSIZED))
        elif fault in faults.REPLY:
            self.front.misbehave(context.peer(), fault, reply)
        return reply

    def _wait(self, context, seconds):
        """Wait until then, or until the client gives up or the server ends."""
        end = time.monotonic() + seconds
        while context.is_active() and time.monotonic() < end:
            time.sleep(0.05)

    def _answer(self, name, request, fault):
        controller = self.controller
        if name == "CreatePartition":
            return controller.create(request, faults.FATES.get(fault))
        if name == "RemovePartition":
            return controller.remove(request, fault if fault in faults.TROUBLES else None)
        if name == "ResetPartition":
            return controller.reset(request)
        if name == "GetPartitionStatus":
            return replies.status(request.partition_id, controller.look(request.partition_id))
        if name == "ListPartitions":
            return replies.listing(controller.look_all(), request.allocation_id)
        if name == "GetPartitionIpuofConfig":
            return self._ipuof_config(request)
        if name == "ListIPUAttributes":
            return replies.attributes(controller.pool.total, request.agents)
        return interface.message("VersionReply")(version="1.0.3" if fault == "old" else replies.VERSION)

    def _ipuof_config(self, request):
        partition = self.controller.look(request.partition_id)
        gcd = request.gcd_id.id if request.HasField("gcd_id") else None
        if partition["ready"] != "ACTIVE":
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, f"partition '{request.partition_id}' is not active")
        if gcd is not None and gcd >= partition["gcds"]:
            raise Refusal(
                grpc.StatusCode.INVALID_ARGUMENT,
                f"partition '{request.partition_id}' has {partition['gcds']} GCDs, none with number {gcd}",
            )
        return replies.ipuof_config(partition, gcd)

    def _log(self, name, request, context, back, fault, status):
        """Log the call before its reply is sent, so that a client with the reply finds the line."""
        left = context.time_remaining()
        if left is not None and left > FOREVER:
            left = None
        words = [
            time.strftime("%H:%M:%S"),
            name,
            "id=" + (_id_of(request) or "-"),
            "status=" + status,
            # Rounded to whole seconds, to get the timeout that the client set.
            "timeout=" + (str(round(left)) if left is not None else "none"),
            "from=" + ("emulate" if back else "client"),
            "fault=" + (fault or "-"),
            json.dumps(json_format.MessageToDict(request, preserving_proto_field_name=True), separators=(",", ":")),
        ]
        with self.log_lock:
            sys.stdout.write(" ".join(words) + "\n")
            sys.stdout.flush()


def _id_of(request):
    if hasattr(request, "requirements"):
        return request.requirements.id
    return getattr(request, "partition_id", "")

