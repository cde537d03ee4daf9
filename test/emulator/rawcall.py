# SPDX-License-Identifier: GPL-2.0-or-later
"""One call in hand-made HTTP/2, for the self-test: libraries hide what is on the wire."""
import socket

import frames
import interface


class RawCall:
    """Makes the call and reads to the end, or as far as garbage lets it.

    data, trailers: what came of these, or None. ended: by the server, in order. rest: what is no whole frame.
    """

    def __init__(self, port, name, fields):
        self.data = self.trailers = None
        self.ended = False
        with socket.create_connection(("127.0.0.1", port), timeout=10) as self.socket:
            self.socket.sendall(frames.PREFACE + frames.frame(4, 0, 0, b"") + self.request(interface.METHODS[name], fields))
            self.everything = self.rest = self.read()
        while len(self.rest) >= 9 and len(self.rest) >= 9 + int.from_bytes(self.rest[:3], "big"):
            self.frame()

    def request(self, method, fields):
        names = ((b":method", b"POST"), (b":scheme", b"http"), (b":path", method.path.encode()), (b":authority", b"x"))
        names += ((b"te", b"trailers"), (b"content-type", b"application/grpc"))
        block = b"".join(frames.literal(*header) for header in names)
        body = frames.message(method.request(**fields).SerializeToString())
        return frames.frame(frames.HEADERS, frames.END_HEADERS, 1, block) + frames.frame(
            frames.DATA, frames.END_STREAM, 1, body
        )

    def read(self):
        data = b""
        while not data.endswith(frames.GARBAGE):
            more = self.socket.recv(65536)
            if not more:
                break
            data += more
        return data

    def frame(self):
        end = 9 + int.from_bytes(self.rest[:3], "big")
        kind, flags, payload = self.rest[3], self.rest[4], self.rest[9:end]
        if kind == frames.HEADERS and self.data is not None:
            self.trailers = payload
        elif kind == frames.DATA:
            self.data = payload
        if kind in (frames.HEADERS, frames.DATA) and flags & frames.END_STREAM:
            self.ended = True
        self.rest = self.rest[end:]
