# SPDX-License-Identifier: GPL-2.0-or-later
"""A minimal HTTP/2, enough to answer one call wrongly."""
import random
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, GOAWAY = 0, 1, 7
SETTINGS = bytes(3) + b"\x04" + bytes(5)  # a whole frame, which changes nothing
END_STREAM, END_HEADERS = 1, 4

HTTP1 = (
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 12\r\nConnection: close\r\n\r\n"
    b"bad request\n"
)
# Not a frame: its declared length exceeds every limit. Always the same bytes, so that a failure can be repeated.
GARBAGE = b"\xff\xff\xff" + random.Random(1).randbytes(1021)


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def literal(name, value):
    """Encode a header without changing the compression tables."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


def _headers(stream, *more):
    block = b"\x88" + literal(b"content-type", b"application/grpc")  # 0x88 is :status 200
    return frame(HEADERS, END_HEADERS, stream, block + b"".join(literal(*header) for header in more))


def _trailers(stream):
    return frame(HEADERS, END_HEADERS | END_STREAM, stream, literal(b"grpc-status", b"0"))


def message(data, compressed=0, length=None):
    """Wrap a message as gRPC does. length: a false length, or None for the true one."""
    return struct.pack(">BI", compressed, len(data) if length is None else length) + data


def unknown_field(data):
    """Return a field that is in none of our messages, which every parser skips."""
    number, length = len(data), b""
    while number > 127:
        length += bytes([number & 127 | 128])
        number >>= 7
    return b"\xc2\x3e" + length + bytes([number]) + data


# A field of 127 bytes of which one is present: it cannot be parsed as any of our messages.
_CUT = b"\x0a\x7f\x00"
_WHOLE = unknown_field(b"x")


def goaway(stream):
    """Return a GOAWAY frame: no call after this stream is answered on the connection."""
    return frame(GOAWAY, 0, 0, struct.pack(">II", stream, 0))


def damaged(kind, stream, reply):
    """Return what the client receives instead of the reply with this message."""
    if kind == "drop":
        # Half of the announced length.
        return _headers(stream) + frame(DATA, 0, stream, message(b"\x0a\x40" + b"x" * 64))[:40]
    if kind == "notrailers":
        return _headers(stream) + frame(DATA, END_STREAM, stream, message(reply))
    head, body = {
        "badframe": (_headers(stream), message(_WHOLE, length=1000)),
        "compressed": (_headers(stream, (b"grpc-encoding", b"gzip")), message(_WHOLE, compressed=1)),
        "truncated": (_headers(stream), message(_CUT)),
        "hasty": (_headers(stream), message(reply)),
    }[kind]
    return head + frame(DATA, 0, stream, body) + _trailers(stream)


class StreamWatch:
    """Follow the data of a client to know its newest stream. Does not work with TLS."""

    def __init__(self):
        self.newest = 1
        self._skip = len(PREFACE)
        self._head = b""

    def feed(self, data):
        position = 0
        while position < len(data):
            if self._skip:
                step = min(self._skip, len(data) - position)
                self._skip -= step
                position += step
                continue
            step = min(9 - len(self._head), len(data) - position)
            self._head += data[position : position + step]
            position += step
            if len(self._head) == 9:
                self._frame_head()

    def _frame_head(self):
        length, kind, stream = int.from_bytes(self._head[:3], "big"), self._head[3], self._head[5:]
        if kind == HEADERS:
            self.newest = int.from_bytes(stream, "big") & 0x7FFFFFFF
        self._skip, self._head = length, b""
