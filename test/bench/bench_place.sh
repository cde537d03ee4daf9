#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Placement: its time, and its gain over counting whole RDUs.
build/test/bench/bench_place && echo && build/test/bench/simulate
