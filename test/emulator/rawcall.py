# SPDX-License-Identifier: GPL-2.0-or-later
"""One call in raw HTTP/2 for the self-test, since libraries hide the bytes on the wire."""
import select
import socket

import frames
import interface


class RawCall:
    """Makes the call and reads its reply, as far as it can be parsed.

    data, trailers: what came of these, or None. ended: the reply, in order. farewell: the server will have no more
    calls. rest: what is no whole frame.
    """

    def __init__(self, port, name, fields, meanwhile=None, to_the_end=False):
        """meanwhile: called after the request was sent; then only data that has arrived is read.
        to_the_end: read until the server closes."""
        self.data = self.trailers = None
        self.ended = self.farewell = False
        self.everything = self.rest = b""
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(frames.PREFACE + frames.frame(4, 0, 0, b""))
            connection.sendall(self.request(interface.METHODS[name], fields))
            if meanwhile:
                meanwhile()
            while (to_the_end or not self.ended) and not self.rest.endswith(frames.GARBAGE):
                if meanwhile and not select.select([connection], [], [], 0)[0]:
                    break
                data = connection.recv(65536)
                if not data:
                    break
                self.take(data)

    def request(self, method, fields):
        names = ((b":method", b"POST"), (b":scheme", b"http"), (b":path", method.path.encode()), (b":authority", b"x"))
        names += ((b"te", b"trailers"), (b"content-type", b"application/grpc"))
        block = b"".join(frames.literal(*header) for header in names)
        body = frames.message(method.request(**fields).SerializeToString())
        return frames.frame(frames.HEADERS, frames.END_HEADERS, 1, block) + frames.frame(
            frames.DATA, frames.END_STREAM, 1, body
        )

    def take(self, data):
        """Return the complete frames that were received."""
        self.everything += data
        self.rest += data
        while len(self.rest) >= 9 and len(self.rest) >= 9 + int.from_bytes(self.rest[:3], "big"):
            end = 9 + int.from_bytes(self.rest[:3], "big")
            self.frame(self.rest[3], self.rest[4], self.rest[9:end])
            self.rest = self.rest[end:]

    def frame(self, kind, flags, payload):
        if kind == frames.HEADERS and self.data is not None:
            self.trailers = payload
        elif kind == frames.DATA:
            self.data = payload
        elif kind == frames.GOAWAY:
            self.farewell = True
        if kind in (frames.HEADERS, frames.DATA) and flags & frames.END_STREAM:
            self.ended = True
