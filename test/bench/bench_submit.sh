#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The cost for every client: sbatch of a held job and of a held array of 1,000, without plugins, with an empty plugin and
# with ours, interleaved. Goal: ours within 5 % of an empty plugin.
set -u
base=/tmp/tessera-bench.$$
# shellcheck source=test/bench/labs.bash
. test/bench/labs.bash
trap labs_end EXIT
mkdir -p "$base" && chmod 755 "$base"

empty_plugin empty || exit 1
for name in none empty ours; do
	lab_start $name --nodes sn30:1 || exit 1
	case $name in
	none) lab_plugin none ;;
	empty) lab_plugin empty "required $base/empty.so" ;;
	esac
	lab_restart $name sn30-r1-h1 || exit 1
done

python3 - "$base" "${ROUNDS:-300}" <<'TIMER'
import os, statistics, subprocess, sys, time

base, rounds = sys.argv[1], int(sys.argv[2])
labs = ('none', 'empty', 'ours')
quiet = [(os.POSIX_SPAWN_OPEN, fd, '/dev/null', os.O_RDWR, 0) for fd in (0, 1, 2)]

def environment(lab):
    return dict(os.environ, SLURM_CONF=f'{base}.{lab}/etc/slurm.conf')

def once(lab, arguments):
    """Milliseconds of one sbatch, from its start to its end."""
    words = ['sbatch', '-H', '-o', '/dev/null', *arguments, '--wrap', 'true']
    start = time.perf_counter_ns()
    pid = os.posix_spawnp('sbatch', words, environment(lab), file_actions=quiet)
    _, status = os.waitpid(pid, 0)
    if status != 0:
        sys.exit(f'sbatch ended with {status} in the lab {lab}')
    return (time.perf_counter_ns() - start) / 1e6

print(f'{"medians of " + str(rounds):<40} {"no plugin":>10} {"empty":>10} {"ours":>10} {"ours/empty":>11}   goal 1.05')
for text, arguments in (('sbatch of a held job', []), ('sbatch of a held array of 1,000', ['-a', '1-1000'])):
    times = {lab: [] for lab in labs}
    for number in range(rounds):
        for lab in labs:
            times[lab].append(once(lab, arguments))
    none, empty, ours = (statistics.median(times[lab]) for lab in labs)
    print(f'{text:<40} {none:7.2f} ms {empty:7.2f} ms {ours:7.2f} ms {ours / empty:11.3f}   {"met" if ours / empty <= 1.05 else "not met"}')
    for lab in labs:
        subprocess.run(['scancel', '-t', 'PD', '-u', 'root'], env=environment(lab), check=True)
TIMER
