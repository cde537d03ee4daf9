#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The ledger: how long it takes to reserve tiles for a job and to release them, on a file system in memory.
build/test/bench/bench_ledger
