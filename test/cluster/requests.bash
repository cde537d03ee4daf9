# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What users type, and what the scheduler shall be asked for, or what the refusal shall say. Client, controller and
# Lua are all held to this one list. The lab's default partition has SN30-8 nodes: 8 RDUs of 8 tiles; sn10 has 8 of 4.

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
		--gres=rdu_tile:3                               => rdu_tile:3 is not possible on sn30-8: .* 1, 2, 4 or a multiple of 8
		--tiles-per-task=3                              => --tiles-per-task=3 cannot be handed out together on sn30-8; ask for 1, 2, 4 or a multiple of 8
		--tiles-per-task=four                           => --tiles-per-task=four
		-n16 --tiles-per-task=8                         => --tiles-per-task=8 for 16 tasks on a node is 128 tiles
		-n4 --gres=rdu:1 --tiles-per-task=4             => --tiles-per-task=4 for 4 tasks on a node is 16 tiles, but 8 are
		--gres=rdu:2,rdu_tile:4                         => rdu:2 is 16 tiles on sn30-8, rdu_tile:4 says 4; ask for one of them
		--gres=rdu:0 --tiles-per-task=4                 => asks for no tiles, .* leave one of them out
		--gres=rdu:1 --tile-affinity=rdu0,rdu1          => 16 tiles.*, --gres asks for 8
		--tile-affinity=0x10000000000000000             => bit 64|no tile 64
		--tile-affinity=rdu8                            => there is no RDU 8
		--tile-affinity=7.8                             => there is no tile 8
		--tile-affinity=64                              => there is no tile 64
		--tile-affinity=banana                          => is not a set of tiles
		--tile-affinity=3-1                             => runs backwards
		--tile-affinity=0x0                             => names no tile
		--tile-affinity=rdu0 --tile-bind=map:rdu1       => map: names tile 8, which is not in --tile-affinity
		--gres=rdu:1 --tile-bind=sideways               => --tile-bind=sideways is not known
		--tile-bind=block                               => needs tiles to share out
		--gres=rdu:1 --tile-bind=none --tiles-per-task=4 => leave one of them out
		-p p64 --gres=rdu:1                             => has no RDUs and no tiles|has no platform
		-p sambanova,sn10 --gres=rdu:1                  => partitions of one platform
	LIST
}

# each_request LIST CHECK: calls CHECK WANTED ARGUMENT... for each line of it.
each_request() {
	local line args
	while IFS= read -r line <&3; do
		read -ra args <<<"${line%%=>*}"
		"$2" "${line#*=> }" "${args[@]}"
	done 3< <("$1")
}

# plain CMD...: as tess-ann, with clients that do not have our plugin.
plain() {
	local dir=$TESSERA_LAB/plain
	[ -d "$dir" ] || {
		mkdir "$dir" && cc -shared -fPIC -o "$dir/send_options.so" "$top/test/cluster/send_options.c" &&
			echo "required $dir/send_options.so" >"$dir/plugstack.conf" &&
			sed "s|^PlugStackConfig=.*|PlugStackConfig=$dir/plugstack.conf|" "$TESSERA_LAB/etc/slurm.conf" >"$dir/slurm.conf"
	} || broken 'a client without the plugin could not be made'
	ann env "SLURM_CONF=$dir/slurm.conf" "$@"
}

# plain_srun ARGUMENT...: the same; options of ours are sent along unseen.
plain_srun() {
	local args=() sent=() arg name
	for arg in "$@"; do
		case $arg in
		--tile*=*)
			name=${arg%%=*} && name=${name#--}
			sent+=("SEND_${name//-/_}=${arg#*=}")
			;;
		*) args+=("$arg") ;;
		esac
	done
	plain env "${sent[@]}" srun "${args[@]}"
}

# For a job: what it asked the scheduler for, said by its first task.
# shellcheck disable=SC2016,SC2034,SC2089
say_request='[ "$SLURM_PROCID" != 0 ] || scontrol -o show job "$SLURM_JOB_ID" | sed -n "s/.* TresPerNode=\([^ ]*\).*/\1/p"'

# tres_of JOB: what it asked for on each node; for a heterogeneous job one line for each component.
tres_of() { run scontrol -o show job "$1" | sed 's/.* TresPerNode=\([^ ]*\).*/\1/; t; s/.*/-/'; }
