#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The tarball builds, tests, installs and uninstalls from a read-only source tree.
set -e
make -C build -j"$(nproc)" distcheck
rm -f build/tessera-*.tar.xz
