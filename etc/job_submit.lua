-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- job_submit.lua: what job_submit_tessera.so does for RDUs, tiles, IPUs that are licences (IpuModel = license) and
-- pools, for sites that prefer Lua. It goes beside
-- slurm.conf, which says JobSubmitPlugins=lua; unlike the C plugin it need not be rebuilt for each Slurm release.
-- A site that has a job_submit.lua already takes all but the last two functions, and calls tessera_submit() and
-- tessera_modify() from its own.
--
-- It reads no tessera.conf: the tables here must say the same. One of the two plugins is enough. What the C plugin does
-- beyond this: a job that asks by --gres or --licenses, from a client without Tessera, also gets the option that says so.

-- What a TRES is called: "gres:" up to Slurm 23.02, "gres/" from 23.11 on.
local prefix = "gres:"

-- RduScope of tessera.conf: "node" or "task". For auto, TilesPerTask and Unasked use job_submit_tessera.so alone: what is written
-- out here it takes as it stands.
local rdu_scope = "node"

-- IpuName of tessera.conf: the licence that counts IPUs.
local ipu_name = "ipu"

-- rdus: as Slurm counts them on a node. tiles_per_gres: of one counted rdu, if that is less than an RDU.
-- ipus: of the pool. ipus_per_domain: of an IPU-Link domain.
local platforms = {
	["pod64"] = { ipus = 64, ipus_per_domain = 64 },
	["sn10-8"] = { rdus = 8, tiles_per_rdu = 4 },
	["sn30-8"] = { rdus = 8, tiles_per_rdu = 8 },
}

-- The platform of each partition that has RDUs or IPUs.
local partitions = {
	p64 = "pod64",
	sambanova = "sn30-8",
	sn10 = "sn10-8",
}

-- The pool blocks. powers: only powers of two may be asked for.
local pools = {
	{ option = "csx", license = "csx", max = 2, powers = false },
}

-- A refusal is an error with a table, so that it can be told from a mistake in this file.
local function refuse(...)
	error({ text = string.format(...) }, 0)
end

local function given(text)
	if text == nil or text == "" or text == "(null)" then
		return nil
	end
	return text
end

local function tiles_per_gres(p)
	return p.tiles_per_gres or p.tiles_per_rdu
end

local function all_tiles(p)
	return p.rdus * tiles_per_gres(p)
end

-- May so many tiles be handed out together? A part that divides an RDU, or whole RDUs.
local function block_ok(p, tiles)
	if tiles >= p.tiles_per_rdu then
		return tiles % p.tiles_per_rdu == 0
	end
	return tiles > 0 and p.tiles_per_rdu % tiles == 0
end

local function block_sizes(p)
	local sizes = {}
	for n = 1, p.tiles_per_rdu - 1 do
		if p.tiles_per_rdu % n == 0 then
			sizes[#sizes + 1] = tostring(n)
		end
	end
	return table.concat(sizes, ", ") .. " or a multiple of " .. p.tiles_per_rdu
end

local function count_of(option, text)
	if not text:match("^%d+$") or #text > 9 then
		refuse("%s=%.80s is not a count", option, text)
	end
	return tonumber(text)
end

-- The items of a GRES list; each with its name and count, and what stands before the count.
local function read_gres(text)
	local items = {}
	for raw in (given(text) or ""):gmatch("[^,]+") do
		local head, name, rest = raw:match("^(gres[:/])([^:=]+)(.*)$")
		if not head then
			head = ""
			name, rest = raw:match("^([^:=]+)(.*)$")
		end
		local item = { raw = raw, head = head or "", name = name or raw, count = 1, before = raw .. ":" }
		if item.name == "rdu" or item.name == "rdu_tile" or item.name == ipu_name then
			local before, count = raw:match("^(.*[:=])([^:=]*)$")
			-- A single part that is no number is a type: rdu:sn30.
			local typed = rest:match("^:[^:=%d+-][^:=]*$")
			if before and rest ~= "" and not typed then
				item.count = count_of("--gres", count)
				item.before = before
			end
		end
		items[#items + 1] = item
	end
	return items
end

-- The count of an item, nil if it is not named. Slurm does not add up items of one name.
local function sum(items, name)
	local total, times = nil, 0
	for _, item in ipairs(items) do
		if item.name == name then
			total = (total or 0) + item.count
			times = times + 1
		end
	end
	if times > 1 then
		refuse("--gres names %s %d times, but Slurm does not add them up; name it once: %s:%d", name, times, name, total)
	end
	return total
end

-- What a list of licences says of NAME, nil if nothing. NAME may have the licence's server in it.
local function licenses_of(text, name)
	local total
	for raw in (given(text) or ""):gmatch("[^,;|]+") do
		local full, count = raw:match("^([^:=]+)(.*)$")
		local own = full and (name:find("@", 1, true) and full or full:match("^[^@]*"))
		if own == name then
			total = (total or 0) + (count == "" and 1 or count_of("--licenses", count:sub(2)))
		end
	end
	return total
end

-- The value of an option of ours, nil if it was not given.
local function option_count(option, text)
	if not text then
		return nil
	end
	local n = count_of(option, text)
	if n == 0 then
		refuse("%s=%s asks for none; ask for 1 or more, or leave the option out", option, text)
	end
	return n
end

local function is_power(n)
	while n > 1 and n % 2 == 0 do
		n = n / 2
	end
	return n == 1
end

-- LICENSES and N more of NAME, unless they are there.
local function add_license(licenses, name, n)
	if licenses and licenses:find("|", 1, true) then
		refuse("%d of %s are asked for, and these are licences here, but --licenses=%.80s names alternatives; join "
			.. "licences with commas", n, name, licenses)
	end
	if licenses_of(licenses, name) then
		return licenses
	end
	return (licenses and licenses .. "," or "") .. string.format("%s:%d", name, n)
end

-- Add the tiles FIRST to LAST, of COUNT that there are, which start at BASE.
local function add_tiles(set, what, count, base, first, last)
	first, last = tonumber(first), tonumber(last or first)
	if last < first then
		refuse("the range %d-%d runs backwards", first, last)
	elseif last >= count then
		refuse("there is no %s %d, numbered from 0", what, last)
	end
	for tile = first, last do
		set[base + tile] = true
	end
end

local function add_mask(set, p, digits)
	local bit = #digits * 4
	for digit in digits:gmatch(".") do
		local value = tonumber(digit, 16)
		bit = bit - 4
		for i = 0, 3 do
			if math.floor(value / 2 ^ i) % 2 == 1 then
				add_tiles(set, "tile", all_tiles(p), 0, bit + i)
			end
		end
	end
end

-- A set of tiles: a mask, or tiles 0-3, RDUs rdu6 or rdu0-3, tiles of an RDU 6.0-3.
local function add_set(set, p, option, text)
	local digits = text:match("^0[xX](%x+)$")
	if digits then
		return add_mask(set, p, digits)
	end
	local per_rdu, rdus = p.tiles_per_rdu, all_tiles(p) / p.tiles_per_rdu
	for item in (text .. ","):gmatch("([^,]*),") do
		local rdu, rest = item:match("^rdu(%d+)(.*)$")
		local of, first, last = item:match("^(%d+)%.(%d+)%-?(%d*)$")
		if rdu then
			local to = rest == "" and rdu or rest:match("^%-(%d+)$") or rest:match("^%-rdu(%d+)$")
			if not to then
				refuse("%s: '%.80s' is not a set of tiles", option, item)
			end
			local named = {}
			add_tiles(named, "RDU", rdus, 0, rdu, to)
			for n in pairs(named) do
				add_tiles(set, "tile", per_rdu, n * per_rdu, 0, per_rdu - 1)
			end
		elseif of then
			add_tiles({}, "RDU", rdus, 0, of)
			add_tiles(set, "tile", per_rdu, tonumber(of) * per_rdu, first, last ~= "" and last or first)
		else
			first, last = item:match("^(%d+)%-?(%d*)$")
			if not first then
				refuse("%s: '%.80s' is not a set of tiles: write a mask alone (0xf), or tiles (0-3), RDUs "
					.. "(rdu6) or tiles of an RDU (6.0-3) with commas between", option, item)
			end
			add_tiles(set, "tile", all_tiles(p), 0, first, last ~= "" and last or first)
		end
	end
end

local function size(set)
	local n = 0
	for _ in pairs(set) do
		n = n + 1
	end
	return n
end

-- Does the set consist of whole RDUs?
local function is_whole(set, p)
	for tile in pairs(set) do
		local base = tile - tile % p.tiles_per_rdu
		for i = base, base + p.tiles_per_rdu - 1 do
			if not set[i] then
				return false
			end
		end
	end
	return true
end

-- The tiles that are named, nil if none are. The sets of a map are what the job wants.
local function read_wish(p, opt)
	local set
	if opt.tile_affinity then
		set = {}
		add_set(set, p, "--tile-affinity", opt.tile_affinity)
		if next(set) == nil then
			refuse("--tile-affinity=%.80s names no tile", opt.tile_affinity)
		end
	end
	local map = opt.tile_bind and opt.tile_bind:match("^[mM][aA][pP]:(.*)$")
	if map then
		local all = {}
		for item in (map .. ","):gmatch("([^,]*),") do
			add_set(all, p, "--tile-bind=map:", (item:gsub("%*%d+$", "")))
		end
		for tile = 0, all_tiles(p) - 1 do
			if set and all[tile] and not set[tile] then
				refuse("--tile-bind=map: names tile %d, which is not in --tile-affinity", tile)
			end
		end
		set = set or all
	elseif opt.tile_bind and not ({ none = 1, block = 1, cyclic = 1, closest = 1 })[opt.tile_bind:lower()] then
		refuse("--tile-bind=%.80s is not known; it is none, block, cyclic, closest or map:LIST", opt.tile_bind)
	end
	return set, map ~= nil
end

-- The SPANK options that came along, of the job and of a change to it. Those of pools, and others, do no harm.
local function read_options(job, opt)
	for _, entry in pairs(job.spank_job_env or {}) do
		local name, value = entry:match("^_SLURM_SPANK_OPTION_tessera_([a-z0-9_]+)=(.*)$")
		if not name then
			name, value = entry:match("^SPANK__SLURM_SPANK_OPTION_tessera_([a-z0-9_]+)=(.*)$")
		end
		if name then
			opt[name] = value
		end
	end
end

local function find_platform(names)
	local found, first
	for name in (names or ""):gmatch("[^,]+") do
		local platform = partitions[name]
		if found and platform and platform ~= found then
			refuse("partition %s has platform %s but partition %s has %s: name partitions of one platform only",
				first, found, name, platform)
		end
		if platform then
			found, first = platform, name
		end
	end
	if not found then
		refuse("tiles or IPUs are asked for, but the partition has no platform in job_submit.lua; choose a partition "
			.. "that has one")
	end
	return platforms[found], found
end

local function number(value, none)
	if value == nil or value == none or value == 0 then
		return nil
	end
	return value
end

local function tasks_on_node(job)
	local nodes = number(job.min_nodes, slurm.NO_VAL) or 1
	local per_node = number(job.ntasks_per_node, slurm.NO_VAL16)
	local tasks = number(job.num_tasks, slurm.NO_VAL)
	return per_node or (tasks and math.ceil(tasks / nodes)) or 1
end

-- Nil if nobody said.
local function tasks_of_job(job)
	local per_node = number(job.ntasks_per_node, slurm.NO_VAL16)
	local nodes = number(job.min_nodes, slurm.NO_VAL) or 1
	return number(job.num_tasks, slurm.NO_VAL) or (per_node and per_node * nodes)
end

-- What --gres says: RDUs, tiles.
local function read_counts(p, name, rdu, tile, tasks)
	local rdus = rdu or 0
	if rdu_scope == "task" and not tile then
		rdus = rdus * tasks
	end
	if rdus > p.rdus then
		refuse("--gres=rdu:%d asks for more RDUs than a node of %s has, which is %d; ask for rdu:%d or fewer on each "
			.. "node", rdus, name, p.rdus, p.rdus)
	elseif (tile or 0) > all_tiles(p) then
		refuse("--gres=rdu_tile:%d asks for more tiles than a node of %s has, which is %d; ask for rdu_tile:%d or "
			.. "fewer on each node", tile, name, all_tiles(p), all_tiles(p))
	end
	local tiles = rdus > 0 and rdus * tiles_per_gres(p) or tile or 0
	if rdus > 0 and tile and tile ~= tiles then
		refuse("rdu:%d is %d tiles on %s, rdu_tile:%d says %d; ask for one of them", rdus, tiles, name, tile, tile)
	end
	return rdus, tiles
end

local function read_per_task(p, name, opt)
	if not opt.tiles_per_task then
		return 0
	end
	local n = count_of("--tiles-per-task", opt.tiles_per_task)
	if n > all_tiles(p) or not block_ok(p, n) then
		refuse("--tiles-per-task=%d cannot be handed out together on %s; ask for %s", n, name, block_sizes(p))
	elseif opt.tile_bind and opt.tile_bind:lower() == "none" then
		refuse("--tile-bind=none lets every task have all tiles, --tiles-per-task=%d gives each its own; leave one of "
			.. "them out", n)
	end
	return n
end

-- The list again, with the tiles of its RDUs, or with what options alone asked for.
local function rewrite(items, rdu, tile, rdus, tiles)
	local out, last = {}, nil
	for i, item in ipairs(items) do
		last = item.name == "rdu" and i or last
	end
	for i, item in ipairs(items) do
		local factor = item.name == "rdu" and (rdu or 0) > 0 and rdus / rdu or 1
		out[#out + 1] = factor ~= 1 and item.before .. string.format("%d", item.count * factor) or item.raw
		if i == last and (rdu or 0) > 0 and not tile then
			out[#out + 1] = string.format("%srdu_tile:%d", item.head, tiles)
		end
	end
	if (rdu or 0) == 0 and (tile or 0) == 0 then
		local head = items[1] and items[1].head or prefix
		if rdus > 0 then
			out[#out + 1] = string.format("%srdu:%d", head, rdus)
		end
		out[#out + 1] = string.format("%srdu_tile:%d", head, tiles)
	end
	return table.concat(out, ",")
end

-- Check all that belongs together; returns RDUs and tiles on a node.
local function work_out(p, name, opt, gres, rdu, tile, tasks)
	local per_task = read_per_task(p, name, opt)
	local rdus, tiles = read_counts(p, name, rdu, tile, tasks)
	if tiles == 0 and (rdu or tile or gres == "none") then
		refuse("--gres=%.80s asks for no tiles, an option of the job for some; leave one of them out", gres)
	end
	local wish, map = read_wish(p, opt)
	if wish then
		if tiles ~= 0 and size(wish) ~= tiles then
			refuse("%d tiles are named, --gres asks for %d; name as many as are asked for, or leave --gres out",
				size(wish), tiles)
		elseif tiles == 0 then
			tiles = size(wish)
			if tiles_per_gres(p) == p.tiles_per_rdu and is_whole(wish, p) then
				rdus = tiles / p.tiles_per_rdu
			end
		end
	end
	if per_task > 0 and not map then
		local need = per_task * tasks
		if need > all_tiles(p) or (tiles > 0 and need > tiles) then
			refuse("--tiles-per-task=%d for %d tasks on a node is %d tiles, but %d are there", per_task, tasks, need,
				tiles > 0 and tiles or all_tiles(p))
		end
		tiles = tiles > 0 and tiles or need
	end
	if tiles == 0 then
		refuse("--tile-bind=%.80s needs tiles to share out: add --gres=rdu:N or --tiles-per-task=N", opt.tile_bind)
	end
	local left = tiles % p.tiles_per_rdu
	local parts = per_task > 0 and per_task < p.tiles_per_rdu and tiles % per_task == 0
	if not wish and rdus == 0 and left ~= 0 and p.tiles_per_rdu % left ~= 0 and not parts then
		refuse("rdu_tile:%d is not possible on %s: %d tiles are left over after whole RDUs, and tiles are handed out "
			.. "together as %s", tiles, name, left, block_sizes(p))
	end
	return rdus, tiles
end

-- How many IPUs the job shall have. The ways to say it must agree.
local function read_ipus(opt, items, licenses)
	local said = {
		{ text = "--ipus=", n = option_count("--ipus", opt.ipus) },
		{ text = "--gres=" .. ipu_name .. ":", n = sum(items, ipu_name) },
		{ text = "--licenses=" .. ipu_name .. ":", n = licenses_of(licenses, ipu_name) },
	}
	local first
	for i = 1, 3 do
		if first and said[i].n and said[i].n ~= first.n then
			refuse("%s%d asks for %d IPUs, %s%d for %d; ask for them once, with --ipus=N", first.text, first.n, first.n,
				said[i].text, said[i].n, said[i].n)
		end
		first = first or said[i].n and said[i]
	end
	return first and first.n or 0
end

local function check_ipus(p, name, ipus, opt, tasks)
	local gcds = option_count("--ipu-gcds", opt.ipu_gcds)
	if not p.ipus then
		refuse("platform %s has no IPUs; ask for its RDUs with --gres=rdu:N, or for a partition with IPUs", name)
	elseif ipus == 0 then
		refuse("--ipu-gcds=%d needs IPUs to divide: add --ipus=N", gcds)
	elseif ipus > p.ipus then
		refuse("%d IPUs are asked for, but the pool of %s has %d; ask for %d or fewer", ipus, name, p.ipus, p.ipus)
	elseif not is_power(ipus) then
		refuse("%d IPUs are asked for, but a partition has a power of two of them", ipus)
	end
	local domains = math.ceil(ipus / p.ipus_per_domain)
	if (tasks or 1) < domains then
		refuse("%d IPUs span %d IPU-Link domains of %d, and each needs a task of its own; use --ntasks=%d", ipus,
			domains, p.ipus_per_domain, domains)
	end
	if not gcds then
		return
	elseif not is_power(gcds) then
		refuse("--ipu-gcds=%d cannot divide a partition evenly; ask for a power of two", gcds)
	elseif gcds < domains or gcds > ipus then
		refuse("--ipu-gcds=%d is not possible for %d IPUs: ask for a power of two from %d to %d", gcds, ipus, domains,
			ipus)
	elseif tasks and gcds > tasks then
		refuse("--ipu-gcds=%d needs as many tasks, one for each GCD at the least, but --ntasks=%d is fewer", gcds, tasks)
	end
end

-- The licences with those of the pools that are asked for.
local function add_pools(licenses, opt)
	for _, pool in ipairs(pools) do
		local option = "--" .. pool.option
		local n = option_count(option, opt[(pool.option:gsub("-", "_"))])
		local have = licenses_of(licenses, pool.license)
		if n and have and n ~= have then
			refuse("%s=%d and --licenses=%s:%d differ; ask once, with %s=N", option, n, pool.license, have, option)
		end
		n = n or have or 0
		if n > pool.max then
			refuse("%s=%d asks for more than there are, which is %d; ask for %s=%d or fewer", option, n, pool.max,
				option, pool.max)
		elseif n > 0 and pool.powers and not is_power(n) then
			refuse("%s=%d is not a size that %s comes in; allowed are powers of two", option, n, pool.option)
		elseif n > 0 then
			licenses = add_license(licenses, pool.license, n)
		end
	end
	return licenses
end

-- The GRES list without what is a licence.
local function without_ipus(items)
	local out = {}
	for _, item in ipairs(items) do
		if item.name ~= ipu_name then
			out[#out + 1] = item.raw
		end
	end
	return table.concat(out, ",")
end

-- OLD is the job that JOB changes, nil for a new one. DEFAULT is where a job goes that names no partition.
local function request(job, old, default)
	old = old or {}
	local gres = given(job.tres_per_node or old.tres_per_node)
	local licenses = given(job.licenses or old.licenses)
	local items, opt = read_gres(gres), {}
	local rdu, tile = sum(items, "rdu"), sum(items, "rdu_tile")
	read_options(old, opt)
	read_options(job, opt)
	local text, names = gres, given(job.partition) or given(old.partition) or default
	local wanted = licenses
	local ipus = read_ipus(opt, items, licenses)
	local tiles_asked = (rdu or 0) > 0 or (tile or 0) > 0 or opt.tiles_per_task or opt.tile_affinity or opt.tile_bind
	if tiles_asked then
		local p, name = find_platform(names)
		if not p.rdus then
			refuse("platform %s has no RDUs and no tiles; ask for its IPUs with --ipus=N, or for a partition with RDUs",
				name)
		end
		text = rewrite(items, rdu, tile, work_out(p, name, opt, gres, rdu, tile, tasks_on_node(job)))
	end
	if ipus > 0 or opt.ipu_gcds then
		local p, name = find_platform(names)
		check_ipus(p, name, ipus, opt, tasks_of_job(job))
		wanted = add_license(wanted, ipu_name, ipus)
		text = without_ipus(items)
	end
	wanted = add_pools(wanted, opt)
	if text ~= gres then
		job.tres_per_node = text
	end
	if wanted ~= licenses then
		job.licenses = wanted
	end
end

-- nil, or the sentence for the user. What goes wrong in here must not let a job pass.
local function checked(...)
	local ok, err = pcall(request, ...)
	if ok then
		return nil
	end
	return "tessera: " .. (type(err) == "table" and err.text or "job_submit.lua: " .. tostring(err))
end

function tessera_submit(job_desc, part_list)
	local default
	for _, part in pairs(part_list) do
		if part.flag_default == 1 then
			default = part.name
		end
	end
	return checked(job_desc, nil, default)
end

function tessera_modify(job_desc, job_rec)
	if job_desc.tres_per_node == nil and job_desc.partition == nil and job_desc.licenses == nil then
		return nil
	end
	return checked(job_desc, job_rec, nil)
end

function slurm_job_submit(job_desc, part_list, submit_uid)
	local text = tessera_submit(job_desc, part_list)
	if text then
		slurm.log_user("%s", text)
		slurm.log_info("%s (user %d)", text, submit_uid)
		return slurm.ESLURM_INVALID_GRES or slurm.ERROR
	end
	return slurm.SUCCESS
end

-- Slurm 22.05 has no way to tell the user why: the log has it.
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
	local text = tessera_modify(job_desc, job_rec)
	if text then
		slurm.log_info("%s (user %d)", text, modify_uid)
		return slurm.ESLURM_INVALID_GRES or slurm.ERROR
	end
	return slurm.SUCCESS
end
