#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# clang builds the tree without a warning, in a relative build directory, and the tests pass.
set -e
rm -rf build-clang && mkdir build-clang && cd build-clang
../configure --enable-werror CC=clang
make -j"$(nproc)"
make -j"$(nproc)" check
