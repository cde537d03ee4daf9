# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Requests of users, with what Slurm must be asked for or with the error message. Client and controller
# are tested against the same lists. The lab's default partition has SN30-8 nodes: 8 RDUs of 8 tiles;
# sn10 has 8 RDUs of 4 tiles.

# The prefix of a GRES in TresPerNode. The lists have that of Slurm 23.02 and earlier.
case $(run srun --version) in *' 22.'* | *' 23.02.'*) gres_prefix=gres: ;; *) gres_prefix=gres/ ;; esac

good_requests() {
	cat <<-'LIST'
		--gres=rdu:2                                    => gres:rdu:2,gres:rdu_tile:16
		--gres=rdu                                      => gres:rdu,gres:rdu_tile:8
		--gres=rdu:8                                    => gres:rdu:8,gres:rdu_tile:64
		--gres=rdu_tile:4                               => gres:rdu_tile:4
		--gres=rdu_tile:12                              => gres:rdu_tile:12
		--gres=rdu:2,rdu_tile:16                        => gres:rdu:2,gres:rdu_tile:16
		--gres=rdu_mem:5,rdu:1                          => gres:rdu_mem:5,gres:rdu:1,gres:rdu_tile:8
		--gres=rdu:1,rdu_mem:5                          => gres:rdu:1,gres:rdu_tile:8,gres:rdu_mem:5
		--gres=rdu_mem:5                                => gres:rdu_mem:5
		--gres=rdu:0                                    => gres:rdu:0
		--exclusive --gres=rdu:1                        => gres:rdu:1,gres:rdu_tile:8
		-p sn10 --gres=rdu:2                            => gres:rdu:2,gres:rdu_tile:8
		-N2 --gres=rdu:1                                => gres:rdu:1,gres:rdu_tile:8
		-n16 --tiles-per-task=4                         => gres:rdu_tile:64
		-n16 --gres=rdu:8 --tiles-per-task=4            => gres:rdu:8,gres:rdu_tile:64
		-n3 --tiles-per-task=2                          => gres:rdu_tile:6
		-N2 --ntasks-per-node=2 --tiles-per-task=4      => gres:rdu_tile:8
		-N2 -n3 --tiles-per-task=8                      => gres:rdu_tile:16
		--gres=rdu_mem:5 --tiles-per-task=1             => gres:rdu_mem:5,gres:rdu_tile:1
		--tile-affinity=rdu6,rdu7                       => gres:rdu:2,gres:rdu_tile:16
		--tile-affinity=rdu0-3                          => gres:rdu:4,gres:rdu_tile:32
		-p sn10 --tile-affinity=0xff000000              => gres:rdu:2,gres:rdu_tile:8
		--tile-affinity=6.0-3,7.1                       => gres:rdu_tile:5
		--tile-affinity=0-7                             => gres:rdu:1,gres:rdu_tile:8
		--gres=rdu:1 --tile-affinity=rdu7               => gres:rdu:1,gres:rdu_tile:8
		--gres=rdu:2 --tile-bind=closest                => gres:rdu:2,gres:rdu_tile:16
		-n2 --tile-bind=map:rdu0,rdu1                   => gres:rdu:2,gres:rdu_tile:16
		-n4 --tile-bind=map:0.0-3*2,0.4-7*2             => gres:rdu:1,gres:rdu_tile:8
	LIST
}

bad_requests() {
	cat <<-'LIST'
		--gres=rdu:9                                    => --gres=rdu:9 asks for more RDUs than a node of sn30-8 has, which is 8
		--gres=rdu_tile:65                              => --gres=rdu_tile:65 asks for more tiles than a node of sn30-8 has, which is 64
		-p sn10 --gres=rdu_tile:33                      => rdu_tile:33 .* which is 32
		--gres=rdu_tile:3                               => rdu_tile:3 is not a valid size on sn30-8: .* 1, 2, 4 or a multiple of 8
		--tiles-per-task=3                              => --tiles-per-task=3 is not a valid size on sn30-8: use 1, 2, 4 or a multiple of 8
		--tiles-per-task=four                           => --tiles-per-task=four
		-n16 --tiles-per-task=8                         => --tiles-per-task=8 for 16 tasks on a node is 128 tiles
		-n4 --gres=rdu:1 --tiles-per-task=4             => --tiles-per-task=4 for 4 tasks on a node is 16 tiles, but 8 are
		--gres=rdu:2,rdu_tile:4                         => rdu:2 is 16 tiles on sn30-8, rdu_tile:4 says 4; ask for one of them
		--gres=rdu:1,rdu:1                              => --gres names rdu 2 times, .* name it once: rdu:2$
		--gres=rdu_tile:8,rdu_mem:5,rdu_tile:8          => --gres names rdu_tile 2 times, .* name it once: rdu_tile:16$
		--gres=rdu:sn30:1,rdu:sn10:1                    => --gres names rdu 2 times, .* name it once: rdu:2$
		--gres=rdu:0 --tiles-per-task=4                 => asks for no tiles, .* omit one of them
		--gres=rdu:1 --tile-affinity=rdu0,rdu1          => 16 tiles.*, --gres asks for 8
		--tile-affinity=0x10000000000000000             => bit 64|no tile 64
		--tile-affinity=rdu8                            => there is no RDU 8
		--tile-affinity=7.8                             => there is no tile 8
		--tile-affinity=64                              => there is no tile 64
		--tile-affinity=banana                          => is not a set of tiles
		--tile-affinity=3-1                             => runs backwards
		--tile-affinity=0x0                             => names no tile
		--tile-affinity=rdu0 --tile-bind=map:rdu1       => map: names tile 8, which is not in --tile-affinity
		--gres=rdu:1 --tile-bind=sideways               => --tile-bind=sideways is not valid
		--tile-bind=block                               => needs tiles to divide
		--gres=rdu:1 --tile-bind=none --tiles-per-task=4 => omit one of them
		-p p64 --gres=rdu:1                             => has no RDUs and no tiles|has no platform
		-p sambanova,sn10 --gres=rdu:1                  => partitions of one platform
	LIST
}

# Resources of a job rather than of a node: IPUs from the pool of 64 behind the partition p64, and the
# two systems of the pool csx, which belongs to no partition. Expected are the GRES per node, - if none,
# and the licenses.
good_counts() {
	cat <<-'LIST'
		-p p64 --ipus=4                                 => - ipu:4
		-p p64 --ipus=1                                 => - ipu:1
		-p p64 --ipus=64                                => - ipu:64
		-p p64 --gres=ipu:4                             => - ipu:4
		-p p64 --gres=ipu                               => - ipu:1
		-p p64 --gres=ipu:4 --ipus=4                    => - ipu:4
		-p p64 --licenses=ipu:8                         => - ipu:8
		-p p64 --licenses=ipu:8 --ipus=8                => - ipu:8
		-p p64 -N2 --ipus=16                            => - ipu:16
		-p p64 --licenses=ipu:3,ipu:1                   => - ipu:3,ipu:1
		-p p64 -n4 --ipus=4 --ipu-gcds=4                => - ipu:4
		-p p64 -N2 --ntasks-per-node=2 --ipus=8 --ipu-gcds=4 => - ipu:8
		-p p64 --ipus=8 --ipu-gcds=1                    => - ipu:8
		--csx=1                                         => - csx:1
		--csx=2                                         => - csx:2
		--licenses=csx:1                                => - csx:1
		--licenses=csx:2 --csx=2                        => - csx:2
		-p p64 --ipus=2 --csx=1                         => - ipu:2,csx:1
		-p p64 --licenses=csx:1 --ipus=2                => - csx:1,ipu:2
		--gres=rdu:1 --csx=1                            => gres:rdu:1,gres:rdu_tile:8 csx:1
		-p sambanova,sn10 --csx=1                       => - csx:1
		-p p64 -N1                                      => - -
	LIST
}

bad_counts() {
	cat <<-'LIST'
		-p p64 --ipus=3                                 => 3 IPUs requested, but a partition has a power of two
		-p p64 --ipus=0                                 => --ipus=0 asks for none
		-p p64 --ipus=-1                                => --ipus=-1
		-p p64 --ipus=abc                               => --ipus=abc
		-p p64 --ipus=4x                                => --ipus=4x
		-p p64 --ipus=128                               => 128 IPUs requested, but the pool of pod64 has 64
		-p p64 --ipus=5000000000                        => --ipus=5000000000
		-p p64 --gres=ipu:3                             => 3 IPUs requested
		-p p64 --licenses=ipu:3                         => 3 IPUs requested
		-p p64 --gres=ipu:8,ipu:8                       => --gres names ipu 2 times, .* name it once: ipu:16$
		-p p64 --ipus=4 --gres=ipu:2                    => --ipus=4 asks for 4 IPUs, --gres=ipu:2 for 2; ask for them once
		-p p64 --ipus=4 --licenses=ipu:2                => --ipus=4 asks for 4 IPUs, --licenses=ipu:2 for 2
		--gres=rdu:1 --ipus=1                           => platform sn30-8 has no IPUs
		-p p64 --gres=rdu:1 --ipus=1                    => platform pod64 has no RDUs and no tiles
		--ipus=1                                        => platform sn30-8 has no IPUs
		-p sn10 --gres=ipu:1                            => platform sn10-8 has no IPUs
		-p p64,sn10 --ipus=1                            => partitions of one platform
		-p p64 --ipu-gcds=2                             => --ipu-gcds=2 needs IPUs to divide: add --ipus=N
		-p p64 --ipus=4 --ipu-gcds=3                    => --ipu-gcds=3 .* a power of two
		-p p64 --ipus=4 --ipu-gcds=8                    => --ipu-gcds=8 is not possible for 4 IPUs
		-p p64 --ipus=4 -n2 --ipu-gcds=4                => --ipu-gcds=4 needs at least one task for each GCD, .* --ntasks=2 is fewer
		--csx=3                                         => --csx=3 exceeds the 2 in the pool
		--csx=0                                         => --csx=0 asks for none
		--csx=-1                                        => --csx=-1
		--csx=two                                       => --csx=two
		--licenses=csx:3                                => --csx=3 exceeds the 2 in the pool
		--csx=1 --licenses=csx:2                        => --csx=1 and --licenses=csx:2 differ
	LIST
}

# each_request LIST CHECK: call CHECK WANTED ARGUMENT... for each line of LIST.
each_request() {
	local line args
	while IFS= read -r line <&3; do
		read -ra args <<<"${line%%=>*}"
		"$2" "${line#*=> }" "${args[@]}"
	done 3< <("$1")
}

# refused_by_clients PATTERN ARGUMENT...: srun and sbatch refuse the request with such a message.
refused_by_clients() {
	local wanted=$1
	shift
	refused ann srun "$@" true
	like "srun $*" "^srun: error: tessera: .*($wanted)" "$said"
	refused ann sbatch -o /dev/null "$@" --wrap true
	like "sbatch $*" "^sbatch: error: tessera: .*($wanted)" "$said"
}

# refused_by_controller PATTERN ARGUMENT...: slurmctld refuses it when the client has no plugin.
refused_by_controller() {
	local wanted=$1
	shift
	refused plain_srun "$@" true
	like "the controller on $*" "^srun: error: tessera: .*($wanted)" "$said"
}

# plain CMD...: run CMD as tess-ann with clients that do not load the plugin.
plain() {
	local dir=$TESSERA_LAB/plain
	[ -d "$dir" ] || {
		mkdir "$dir" && cc -shared -fPIC -o "$dir/send_options.so" "$top/test/cluster/send_options.c" &&
			echo "required $dir/send_options.so" >"$dir/plugstack.conf" &&
			sed "s|^PlugStackConfig=.*|PlugStackConfig=$dir/plugstack.conf|" "$TESSERA_LAB/etc/slurm.conf" >"$dir/slurm.conf"
	} || fail 'cannot set up a client without the plugin'
	ann env "SLURM_CONF=$dir/slurm.conf" "$@"
}

# plain_send CMD ARGUMENT...: the same, and send our options to slurmctld unchecked.
plain_send() {
	local command=$1 args=() sent=() arg name
	shift
	for arg in "$@"; do
		case $arg in
		--tile*=* | --ipu*=* | --csx=*)
			name=${arg%%=*} && name=${name#--}
			sent+=("SEND_${name//-/_}=${arg#*=}")
			;;
		*) args+=("$arg") ;;
		esac
	done
	plain env "${sent[@]}" "$command" "${args[@]}"
}
plain_srun() { plain_send srun "$@"; }

# Command of a job whose first task prints the GRES that the job requested.
# shellcheck disable=SC2016,SC2034,SC2089
say_request='[ "$SLURM_PROCID" != 0 ] || scontrol -o show job "$SLURM_JOB_ID" | sed -n "s/.* TresPerNode=\([^ ]*\).*/\1/p"'

# counts_of JOB: its requested GRES and licenses, - if none.
counts_of() {
	run scontrol -o show job "$1" | awk '{
		gres = licenses = "-"
		for (i = 1; i <= NF; i++) {
			if ($i ~ /^TresPerNode=/) gres = substr($i, 13)
			if ($i ~ /^Licenses=[^(]/) licenses = substr($i, 10)
		}
		print gres, licenses
	}'
}

# counts_by CMD ARGUMENT...: what a held job requests. CMD is ann, plain_send or the like; the arguments
# are those of sbatch.
counts_by() {
	local job
	job=$("$1" sbatch --parsable --hold -o /dev/null "${@:2}" --wrap true) && counts_of "$job" && run scancel "$job"
}

# tres_of JOB: its requested GRES per node; one line per component of a heterogeneous job.
tres_of() { run scontrol -o show job "$1" | sed 's/.* TresPerNode=\([^ ]*\).*/\1/; t; s/.*/-/'; }

# last_job: the number of the next job.
last_job() { run scontrol show config | sed -n 's/^NEXT_JOB_ID *= //p'; }
