#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs use root's cache of the parsed tessera.conf, but never after the file has changed, and only
# if root owns the cache and no other user may write it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/requests.bash"

conf=$TESSERA_LAB/etc/tessera.conf
module=$TESSERA_LAB/lib/tessera_conf.so
# A process caches the file only when it is two seconds old, which may not have happened on a new
# cluster.
cached() { fine ann srun -Q --gres=rdu:1 true && ls "$TESSERA_LAB"/run/conf-cache.???????? >/dev/null 2>&1; }
await 'tessera.conf is cached' cached
cache=$(ls "$TESSERA_LAB"/run/conf-cache.????????)
cp "$conf" "$conf.saved"
trap 'mv -f "$conf.saved" "$conf"; [ ! -e "$module.away" ] || mv -f "$module.away" "$module"' EXIT

# mask_of WISH: the mask of a job of two RDUs whose user exported WISH.
mask_of() { ann env SF_RNT_TILE_AFFINITY="$1" srun -Q --gres=rdu:2 printenv SF_RNT_TILE_AFFINITY; }
# served: the cache was written at least two seconds after the last change of tessera.conf, renames
# included.
served() { fine ann srun -Q --gres=rdu:1 true && [ $(($(stat -c %Y "$cache") - $(stat -c %Z "$conf"))) -ge 2 ]; }

await 'the current file is cached' served

# With the cache no process of a job needs the module that parses the file. The lab's commands would
# restore the module, so they are not used here.
export SLURM_CONF=$TESSERA_LAB/etc/slurm.conf
job=$(ann sbatch --parsable -H --gres=rdu:1 -o out --wrap 'echo "$SF_RNT_TILE_AFFINITY"')
mv "$module" "$module.away"
scontrol release "$job"
ended() { [ -z "$(squeue -hj "$job" 2>/dev/null)" ]; }
await 'the job has ended' ended
mv -f "$module.away" "$module"
is 'the job has its mask without the module' 0x00000000000000ff "$(cat "$(home ann)/out")"

# Without the cache the same job reports the missing module, and the node stays available.
job=$(ann sbatch --parsable -H --no-requeue --gres=rdu:1 -o out --wrap 'echo "$SF_RNT_TILE_AFFINITY"')
mv "$module" "$module.away"
mv "$cache" "$cache.away"
scontrol release "$job"
await 'the job has ended' ended
mv -f "$module.away" "$module"
mv -f "$cache.away" "$cache"
like 'the job reports the missing module' 'tessera: .*tessera_conf.so: No such file' "$(cat "$(home ann)/out")"

# A prolog that cannot read tessera.conf leaves its error for the first step, even if the file can
# be read by then. Neither the client nor its options say then that the job has tiles.
plain true
plainly() { setpriv --reuid=tess-ann --regid=tess-ann --clear-groups env SLURM_CONF="$TESSERA_LAB/plain/slurm.conf" "$@"; }
mv "$module" "$module.away"
mv "$cache" "$cache.away"
fine plainly salloc -Q --no-shell -J unread --gres=rdu:1
mv -f "$module.away" "$module"
mv -f "$cache.away" "$cache"
job=$(squeue -hn unread -o %A)
refused plainly srun -Q --jobid="$job" echo ran
like 'the step reports why it has no tiles' 'tessera: .*tessera_conf.so: No such file' "$said"
unlike 'the step did not run' '^ran' "$said"
scancel "$job"
await 'the job has ended' ended
[ ! -e "$TESSERA_LAB/run/failed.$job" ] || fail 'the failure record of the prolog is left'

# A change takes effect with the next job.
refused mask_of 0xff00000000000000
echo 'UserMask = ignore' >>"$conf"
is 'the next job sees the change' 0x000000000000ffff "$(mask_of 0xff00000000000000)"
await 'the change is cached' served
is 'the cached file has the change' 0x000000000000ffff "$(mask_of 0xff00000000000000)"
cp "$conf.saved" "$conf.new" && mv -f "$conf.new" "$conf"
refused mask_of 0xff00000000000000
await 'the restored file is cached' served

# A cache that another user could have written and a damaged cache are ignored, and the file is
# parsed.
chown tess-bob "$cache"
is 'a cache of another owner is ignored' 0x00000000000000ff "$(ann srun -Q --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
is 'the cache is replaced by one that root owns' root "$(stat -c %U "$cache")"
chmod 666 "$cache"
is 'a cache that all may write is ignored' 0x00000000000000ff "$(ann srun -Q --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
is 'the cache is replaced by one that only root may write' 644 "$(stat -c %a "$cache")"
truncate -s -1 "$cache"
is 'a damaged cache is ignored' 0x00000000000000ff "$(ann srun -Q --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
