# SPDX-License-Identifier: GPL-2.0-or-later
"""A TCP proxy in front of the gRPC server, since the server cannot be made to misbehave.

Each connection of a client has its own connection to the server, which identifies the connection of a call by its
port. A damaged reply is written in plain HTTP/2 for the newest stream of the client, so it needs clients without TLS
and with one call at a time on a connection.
"""
import asyncio
import socket
import struct
import threading

import frames


class Front:
    """Forwards bytes between clients and the server, and applies the faults."""

    def __init__(self, control):
        self.control = control
        self.loop = asyncio.get_running_loop()
        self.server_port = None
        self.by_port = {}  # our port towards the server: the client's side

    async def listen(self, address, port, server_port):
        """Returns the listener; its port is that of .sockets[0]."""
        self.server_port = server_port
        return await self.loop.create_server(lambda: Client(self), address, port, backlog=256)

    def misbehave(self, peer, kind, reply=b""):
        """Return the side of the client of a call, by gRPC's name of the peer. Called from another thread.

        On return the server's reply cannot reach that client any more.
        """
        done = threading.Event()
        self.loop.call_soon_threadsafe(self._misbehave, peer.rpartition(":")[2], kind, reply, done)
        done.wait(10)

    def _misbehave(self, port, kind, reply, done):
        client = self.by_port.get(port)
        if client:
            client.misbehave(kind, reply)
        done.set()


class Side(asyncio.Protocol):
    """One side of a connection: forwards its data to the other side, and reads no faster than that can write."""

    other = None
    transport = None
    mute = False  # what would be sent to this side is thrown away

    def connection_made(self, transport):
        self.transport = transport

    def pause_writing(self):
        if self.other:
            self.other.transport.pause_reading()

    def resume_writing(self):
        if self.other:
            self.other.transport.resume_reading()

    def data_received(self, data):
        if not self.other.mute:
            self.other.transport.write(data)

    def connection_lost(self, error):
        if self.other:
            self.other.transport.close()


class Server(Side):
    """The side of the gRPC server."""

    def __init__(self, client):
        self.other = client

    def data_received(self, data):
        if not self.other.mute:
            self.other.greeted = True
        super().data_received(data)


class Client(Side):
    """The side of a client."""

    def __init__(self, front):
        self.front = front
        self.port = None
        self.early = []  # what came before the server's side was there
        self.watch = frames.StreamWatch()
        self.fault = None
        self.greeted = False  # the server's first frame, its settings, has been sent
        self.damaged = None  # the stream whose reply was

    def connection_made(self, transport):
        self.transport = transport
        self.fault = self.front.control.for_connection()
        if self.fault == "reset":
            self._reset()
        elif self.fault is None:
            self.front.loop.create_task(self._connect())

    async def _connect(self):
        try:
            transport, server = await self.front.loop.create_connection(
                lambda: Server(self), "127.0.0.1", self.front.server_port
            )
        except OSError:
            self.transport.close()
            return
        self.other = server
        if self.transport.is_closing():
            transport.close()
            return
        self.port = str(transport.get_extra_info("sockname")[1])
        self.front.by_port[self.port] = self
        for data in self.early:
            transport.write(data)
        self.early.clear()

    def data_received(self, data):
        if self.fault == "http1":
            self._last(frames.HTTP1)
            self.fault = "silent"
        elif self.fault is None:
            self.watch.feed(data)
            if self.damaged and self.watch.newest > self.damaged:
                # Later headers depend on the lost ones, so this connection serves no more calls.
                self._last(frames.goaway(self.damaged))
                self.fault = "silent"
            elif self.other:
                super().data_received(data)
            else:
                self.early.append(data)

    def connection_lost(self, error):
        self.front.by_port.pop(self.port, None)
        super().connection_lost(error)

    def _reset(self):
        """Closing without lingering sends RST."""
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def _last(self, data):
        """Send the data and end the connection; close() would reset it if unread data were left."""
        self.transport.write(data)
        self.transport.write_eof()

    def _damaged(self, kind, reply):
        """Only the reply is damaged: a call can be quicker than the server's settings, which come first in HTTP/2."""
        return (b"" if self.greeted else frames.SETTINGS) + frames.damaged(kind, self.watch.newest, reply)

    def misbehave(self, kind, reply):
        self.mute = True
        if kind == "reset":
            self._reset()
        elif kind == "http1":
            self._last(frames.HTTP1)
        elif kind == "garbage":
            self.transport.write(frames.GARBAGE)
        elif kind == "drop":
            self._last(self._damaged(kind, reply))
        elif kind == "hasty":
            self._last(self._damaged(kind, reply) + frames.goaway(self.watch.newest))
        elif kind != "silent":
            self.transport.write(self._damaged(kind, reply))
            self.damaged = self.watch.newest
