#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What root has parsed of tessera.conf serves the next job, but never after the file has changed, and only if it is root's.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/requests.bash"

conf=$TESSERA_LAB/etc/tessera.conf
module=$TESSERA_LAB/lib/tessera_conf.so
# On a new cluster no process has parsed the file since it was two seconds old.
cached() { fine ann srun -Q --gres=rdu:1 true && ls "$TESSERA_LAB"/run/conf-cache.???????? >/dev/null 2>&1; }
await 'tessera.conf is cached' cached
cache=$(ls "$TESSERA_LAB"/run/conf-cache.????????)
cp "$conf" "$conf.saved"
trap 'mv -f "$conf.saved" "$conf"; [ ! -e "$module.away" ] || mv -f "$module.away" "$module"' EXIT

# mask_of WANTED: a job of two RDUs whose user exported WANTED has this mask.
mask_of() { ann env SF_RNT_TILE_AFFINITY="$1" srun -Q --gres=rdu:2 printenv SF_RNT_TILE_AFFINITY; }
# served: the cache was written after the last change of tessera.conf, a rename too; that is two seconds later at the least.
served() { fine ann srun -Q --gres=rdu:1 true && [ $(($(stat -c %Y "$cache") - $(stat -c %Z "$conf"))) -ge 2 ]; }

await 'what holds now is cached' served

# With the cache no process of a job needs the module that parses: it may be missing. The lab's commands would put it back.
export SLURM_CONF=$TESSERA_LAB/etc/slurm.conf
job=$(ann sbatch --parsable -H --gres=rdu:1 -o out --wrap 'echo "$SF_RNT_TILE_AFFINITY"')
mv "$module" "$module.away"
scontrol release "$job"
ended() { [ -z "$(squeue -hj "$job" 2>/dev/null)" ]; }
await 'the job has ended' ended
mv -f "$module.away" "$module"
is 'its mask without the module' 0x00000000000000ff "$(cat "$(home ann)/out")"

# Where there is no cache, the same job says what is missing, and the node stays.
job=$(ann sbatch --parsable -H --no-requeue --gres=rdu:1 -o out --wrap 'echo "$SF_RNT_TILE_AFFINITY"')
mv "$module" "$module.away"
mv "$cache" "$cache.away"
scontrol release "$job"
await 'the job has ended' ended
mv -f "$module.away" "$module"
mv -f "$cache.away" "$cache"
like 'no module' 'tessera: .*tessera_conf.so: No such file' "$(cat "$(home ann)/out")"

# A prolog that could not read tessera.conf leaves word of it, even if all is well again when the first step comes. Neither
# the client nor its options tell then that the job has tiles.
plain true
plainly() { setpriv --reuid=tess-ann --regid=tess-ann --clear-groups env SLURM_CONF="$TESSERA_LAB/plain/slurm.conf" "$@"; }
mv "$module" "$module.away"
mv "$cache" "$cache.away"
fine plainly salloc -Q --no-shell -J unread --gres=rdu:1
mv -f "$module.away" "$module"
mv -f "$cache.away" "$cache"
job=$(squeue -hn unread -o %A)
refused plainly srun -Q --jobid="$job" echo ran
like 'why it has no tiles' 'tessera: .*tessera_conf.so: No such file' "$said"
unlike 'it did not run' '^ran' "$said"
scancel "$job"
await 'the job has ended' ended
[ ! -e "$TESSERA_LAB/run/failed.$job" ] || broken 'the mark of its prolog stays'

# A change holds from the next job on.
refused mask_of 0xff00000000000000
echo 'UserMask = ignore' >>"$conf"
is 'after the change' 0x000000000000ffff "$(mask_of 0xff00000000000000)"
await 'the change is cached' served
is 'from the cache' 0x000000000000ffff "$(mask_of 0xff00000000000000)"
cp "$conf.saved" "$conf.new" && mv -f "$conf.new" "$conf"
refused mask_of 0xff00000000000000
await 'the old file is cached' served

# One that somebody else could have written, and one that is damaged, is passed over: the file is parsed.
chown tess-bob "$cache"
is 'not of root' 0x00000000000000ff "$(ann srun -Q --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
is 'root has its own again' root "$(stat -c %U "$cache")"
chmod 666 "$cache"
is 'open to all' 0x00000000000000ff "$(ann srun -Q --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
is 'closed again' 644 "$(stat -c %a "$cache")"
truncate -s -1 "$cache"
is 'damaged' 0x00000000000000ff "$(ann srun -Q --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
