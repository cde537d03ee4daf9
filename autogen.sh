#!/bin/sh
# Makes ./configure from a checkout.
set -e
cd "$(dirname "$0")"
exec autoreconf --install --force
