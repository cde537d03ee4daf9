# SPDX-License-Identifier: GPL-2.0-or-later
"""The front door: a TCP proxy before the gRPC server, because that server cannot be made to misbehave.

Each client's connection has one of its own to the server; the server tells a call's connection by its port. The
damage of a reply is written in plain HTTP/2 for the client's newest stream: for clients without TLS that have one
call at a time on a connection.
"""
import asyncio
import socket
import struct
import threading

import frames


class Front:
    """Forwards bytes between clients and the server, and does to them what the faults say."""

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
        """Towards the client of a call, by what gRPC calls its peer. From another thread.

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
    """One end of a connection: what it gets goes to the other; it reads no faster than the other can write."""

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
    """Towards the gRPC server."""

    def __init__(self, client):
        self.other = client


class Client(Side):
    """Towards a client."""

    def __init__(self, front):
        self.front = front
        self.port = None
        self.early = []  # what came before the server's side was there
        self.watch = frames.StreamWatch()
        self.fault = None
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
                # The server's headers can be understood only in one piece: no more calls on this connection.
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
        """Send this and end; closing would reset the connection if something unread were left."""
        self.transport.write(data)
        self.transport.write_eof()

    def misbehave(self, kind, reply):
        self.mute = True
        if kind == "reset":
            self._reset()
        elif kind == "http1":
            self._last(frames.HTTP1)
        elif kind == "garbage":
            self.transport.write(frames.GARBAGE)
        elif kind == "drop":
            self._last(frames.damaged(kind, self.watch.newest, reply))
        elif kind == "hasty":
            self._last(frames.damaged(kind, self.watch.newest, reply) + frames.goaway(self.watch.newest))
        elif kind != "silent":
            self.transport.write(frames.damaged(kind, self.watch.newest, reply))
            self.damaged = self.watch.newest
