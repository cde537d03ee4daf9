# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults on demand. The control directory is read at each call, so that a test can change it at any time.

fault         one line: KIND [METHOD] [COUNT]. METHOD * or missing: all calls. COUNT: the number of times, then the fault is removed.
delay         seconds from create or reset to active
remove_delay  seconds from remove to gone
"""
import os
import threading

import grpc

# A text for which a client must decode percent signs and UTF-8.
ODD_TEXT = "fabric is 100% busy, 5%25 free \u2013 na\u00efve caf\u00e9 \u2713"

# The call is answered with this status and not carried out.
STATUSES = {
    "refuse": (grpc.StatusCode.FAILED_PRECONDITION, ODD_TEXT),
    "exhausted": (grpc.StatusCode.RESOURCE_EXHAUSTED, "no room: 0 IPUs are free"),
    "unavailable": (grpc.StatusCode.UNAVAILABLE, "the controller is starting"),
    "unauthenticated": (grpc.StatusCode.UNAUTHENTICATED, "unknown user or wrong access key"),
    "denied": (grpc.StatusCode.PERMISSION_DENIED, "the user has no access to this allocation"),
    "internal": (grpc.StatusCode.INTERNAL, "lost the connection to agent ag03"),
}
# The call is carried out with this fate or trouble; only these calls have it.
FATES = {"ps_error": "error", "never": "never"}
TROUBLES = ("stuck", "immortal")
# Without a METHOD these affect a new connection before any data, with one the connection of such a call.
CONNECTION = ("silent", "reset", "http1")
# The call is carried out and its reply damaged on the wire: the client does not know that it was carried out.
# hasty is not damage: the reply is valid, but the connection ends with it, as when a server is about to stop.
# (libcurl 7.88 then loses the trailers, and with them the status.)
REPLY = ("drop", "garbage", "badframe", "compressed", "truncated", "notrailers", "hasty")
# hang: not carried out and never answered. lost: carried out and never answered. slow: answered after SLOW seconds.
# oversized: carried out, with a reply of OVERSIZED bytes. old: a controller without UserService.
CALL = ("hang", "lost", "slow", "oversized", "old")
SLOW = 3
OVERSIZED = 64 << 20

KINDS = (*STATUSES, *FATES, *TROUBLES, *CONNECTION, *REPLY, *CALL)
ONLY = {**dict.fromkeys(FATES, "CreatePartition"), **dict.fromkeys(TROUBLES, "RemovePartition")}


class Control:
    """The control directory. Without one there are no faults and no delays."""

    def __init__(self, directory, delay=0.0, remove_delay=0.0):
        self.directory = directory
        self.defaults = {"delay": delay, "remove_delay": remove_delay}
        self.lock = threading.Lock()

    def _read(self, name):
        try:
            with open(os.path.join(self.directory, name), encoding="utf-8") as file:
                return file.read().split()
        except (FileNotFoundError, TypeError):
            return []

    def _seconds(self, name):
        words = self._read(name)
        return float(words[0]) if words else self.defaults[name]

    def create(self):
        return self._seconds("delay")

    def remove(self):
        return self._seconds("remove_delay")

    def for_connection(self):
        """Return the fault for a new connection, or None."""
        return self._take(lambda kind, method: kind in CONNECTION and method == "*")

    def for_call(self, name):
        """Return the fault for this call, or None."""
        return self._take(
            lambda kind, method: method in ("*", name)
            and ONLY.get(kind, name) == name
            and not (kind in CONNECTION and method == "*")
        )

    def _take(self, applies):
        """Return the fault if it applies, and count it."""
        with self.lock:
            words = self._read("fault")
            if not words:
                return None
            kind, method, count = parse(words)
            if not applies(kind, method):
                return None
            if count is not None:
                self.set_fault(kind, method, count - 1)
            return kind

    def set_fault(self, kind, method="*", count=None):
        """Write the fault; remove it if no count is left or the kind is none."""
        if kind == "none" or count == 0:
            try:
                os.unlink(os.path.join(self.directory, "fault"))
            except FileNotFoundError:
                pass
        else:
            self._write("fault", f"{kind} {method}" + (f" {count}" if count is not None else ""))

    def set_seconds(self, name, seconds):
        self._write(name, str(seconds))

    def _write(self, name, line):
        """Replace the file by rename, so that no call reads half a line."""
        path = os.path.join(self.directory, name)
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
            file.write(line + "\n")
        os.replace(f"{path}.{os.getpid()}", path)


def parse(words):
    """Parse KIND [METHOD] [COUNT] into a tuple; METHOD is * and COUNT None by default. ValueError if invalid."""
    kind, rest = words[0], list(words[1:])
    if kind not in KINDS:
        raise ValueError(f"'{kind}' is not a fault: {' '.join(KINDS)}")
    method = rest.pop(0) if rest and not rest[0].isdigit() else "*"
    count = int(rest.pop(0)) if rest else None
    if rest or count == 0:
        raise ValueError("a fault is KIND [METHOD] [COUNT]")
    return kind, method, count
