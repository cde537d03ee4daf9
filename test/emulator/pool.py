# SPDX-License-Identifier: GPL-2.0-or-later
"""Free IPUs, and the placement of partitions.

Only aligned blocks of a power of two are connected, so a pool with enough free IPUs may still be fragmented. Clients
must handle that, so the emulator does the same.
"""

MACHINE = 4  # IPUs in one IPU-Machine, which has one agent
DOMAIN = 64  # IPUs in one IPU-Link domain, a rack


def power_of_two(number):
    return number > 0 and number & (number - 1) == 0


class Pool:
    """Blocks of IPUs 0 .. total-1, each with the name of its partition."""

    def __init__(self, total):
        self.total = total
        self.blocks = {}  # partition: (first, size)

    def free(self):
        return self.total - sum(size for _, size in self.blocks.values())

    def place(self, size):
        """Return the first aligned free block of that size, or None."""
        for first in range(0, self.total - size + 1, size):
            if all(first + size <= start or start + length <= first for start, length in self.blocks.values()):
                return first
        return None

    def largest(self):
        """Return the size of the largest free block, or 0."""
        size = 1
        while size * 2 <= self.total:
            size *= 2
        while size and self.place(size) is None:
            size //= 2
        return size
