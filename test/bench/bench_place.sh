#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Placement: how long it takes, and what it brings over counting whole RDUs.
build/test/bench/bench_place && echo && build/test/bench/simulate
