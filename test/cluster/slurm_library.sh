#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# libslurmfull.so has no release in its name. With that of another release, as after an upgrade of Slurm alone, every
# command ends with 3 and a message that names both, instead of misreading that library's structures.
. "$(dirname "$0")/lib.sh"

tmp=$(mktemp -d)
chmod 755 "$tmp"
trap 'rm -rf "$tmp"' EXIT
fine cc -shared -fPIC -o "$tmp/other.so" -x c - <<<'long slurm_api_version(void); long slurm_api_version(void) { return 99L << 16; }'

for command in $(run tessera --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
	code=0
	said=$(ann env LD_PRELOAD="$tmp/other.so" tessera "$command" 2>&1) || code=$?
	is "the exit code of $command" 3 "$code"
	like "the message of $command" \
		'^tessera: built for Slurm [0-9.]+ \(libslurm.so.[0-9]+\), but .* another release \(libslurm.so.99\): install ' "$said"
done
fine ann env LD_PRELOAD="$tmp/other.so" tessera --version
