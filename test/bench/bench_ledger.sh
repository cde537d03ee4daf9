#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The ledger: the time to allocate and to release the tiles of a job, on a file system in memory.
build/test/bench/bench_ledger
