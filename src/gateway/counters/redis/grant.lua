-- Decides a batch of calls on a batch of buckets, by the clock of this server.
-- grant-script.ts writes the arguments and reads the reply; the two files change together.
-- KEYS       the marker, unless the first word is `-`. Its absence means that this server lost its counters;
--            then the buckets
-- ARGV[1]    words separated by spaces: one argument and one reply cost the calling process half as much as many
-- first word `-`: these buckets have no marker, and the script does not check it. Otherwise the milliseconds
--            after a loss in which it grants and adds nothing, so that every process can notice; alone, or followed by
--            /<run id of this server>    or empty: unknown. A marker of another run, from before a restart or from the
--                                        former primary, does not cover later losses: it counts as absent
--            /<marker>                   that also counts as absent, or empty
--            /<marker>                   to write if it is absent, because the caller knows that no count was lost, or empty
--            /<marker>                   of the loss for which the calling process has pushed its floors, or empty
--            /<id>,<id>                  the calling process and the others it knows to be alive, or empty
-- then for each bucket: windows as in window.lua, floor (window, epoch, count), addition (window, count)
-- then for each group of equal calls: asked, number of limits, and for each limit: bucket index, calls
-- Reply, also words separated by spaces: now in ms, marker, 1 while the server settles and grants nothing,
-- then for each bucket: window, epoch, count, 1 if its stored value was malformed,
-- then for each group: granted, and for each limit: count of its bucket after this group.

local words, last = {}, 0
for word in string.gmatch(ARGV[1], '%S+') do
  last = last + 1
  words[last] = word
end

-- A process silent for silence_ms is gone, as in heartbeat.ts. The server waits for no process longer than wait_most_ms.
local silence_ms, wait_most_ms = 5000, 60000

-- The processes whose floors this server awaits: ` <id>/<ms until which it waits>` each, with 0 once the floors have
-- arrived. The calling process is alive. It adds the others it knows; processes with floors stay in the list, so that
-- they are not added again.
local function await(list, living, has_brought)
  local awaited, is_waiting, listed = {}, false, {}
  local own = string.match(living, '^%d+')
  local function add(id, till)
    if id == own then till = has_brought and 0 or now + silence_ms end
    listed[id] = true
    is_waiting = is_waiting or till > now
    awaited[#awaited + 1] = string.format(' %s/%.0f', id, till)
  end
  for id, till in string.gmatch(list, '(%d+)/(%d+)') do add(id, tonumber(till)) end
  for id in string.gmatch(living, '%d+') do
    if not listed[id] then add(id, now + silence_ms) end
  end
  return table.concat(awaited), is_waiting
end

-- The marker is `<run id>:<µs since 1970>`, followed by the awaited processes while the server settles.
local before, marker_made, settling = 0, '0', false
if words[1] ~= '-' then
  before = 1
  local settle, own_run, stale, vouched, answered, living = tonumber(words[1]), '', '', '', '', ''
  if not settle then
    settle, own_run, stale, vouched, answered, living =
      string.match(words[1], '^(%d+)/(%w*)/(%d*)/(%d*)/(%d*)/([%d,]*)$')
  end
  local marker = redis.pcall('GET', KEYS[1])
  local run, made, awaited
  if type(marker) == 'string' then
    run, made, awaited = string.match(marker, '^(%w*):(%d+)([ %d/]*)$')
  end
  if not made or (own_run ~= '' and run ~= own_run) or made == stale then
    run, awaited = own_run, ''
    made = vouched ~= '' and vouched or string.format('%.0f', seconds * 1000000 + micros)
  end
  marker_made = made
  -- If the clock stepped back behind the marker, the counters must not stay closed until it catches up.
  local age = (seconds * 1000000 + micros - tonumber(made)) / 1000
  settling = age >= 0 and age < tonumber(settle)
  if awaited ~= '' or (settling and living ~= '') then
    local is_waiting
    awaited, is_waiting = await(awaited, living, answered == made)
    settling = settling or (is_waiting and age >= 0 and age < wait_most_ms)
    if not settling then awaited = '' end
  end
  local value = run .. ':' .. made .. awaited
  if value ~= marker then redis.call('SET', KEYS[1], value) end
end

local reply = { now, marker_made, settling and 1 or 0 }
local buckets = #KEYS - before
local lengths, windows, epochs, counts, changed = {}, {}, {}, {}, {}
local at = 2
for i = 1, buckets do
  local current, length = current_window(words[at])
  if not current then return length end
  local window, epoch, count, damaged = read_bucket(KEYS[i + before], length)
  if not window then return epoch end

  -- The window never goes back: the count of window 7 must not restart because a clock says 6.
  if window < current then
    window, count = current, 0
  end
  local floor_window, floor_epoch = tonumber(words[at + 1]), tonumber(words[at + 2])
  local is_floor_sound = (floor_window + 1) * length <= end_of_time
  if floor_epoch >= epoch and floor_window >= window and is_floor_sound then
    local floor_count = tonumber(words[at + 3])
    if floor_window > window then
      window, count = floor_window, floor_count
      changed[i] = true
    elseif floor_count > count then
      count = floor_count
      changed[i] = true
    end
    if floor_epoch > epoch then
      epoch = floor_epoch
      changed[i] = true
    end
  end
  -- Only after the floors have arrived: a floor that came later would swallow the addition. If the process's clock
  -- guessed too late a window, the addition counts in the current one, which errs towards fewer calls.
  local addition = tonumber(words[at + 5])
  if addition > 0 and not settling and tonumber(words[at + 4]) >= window then
    count = count + addition
    changed[i] = true
  end
  if damaged == 1 then changed[i] = true end
  lengths[i], windows[i], epochs[i], counts[i] = length, window, epoch, count
  reply[i * 4] = window
  reply[i * 4 + 1] = epoch
  reply[i * 4 + 2] = count
  reply[i * 4 + 3] = damaged
  at = at + 6
end

local out = buckets * 4 + 3
while at < last do
  local grant, limits = tonumber(words[at]), tonumber(words[at + 1])
  for j = 1, limits do
    local left = tonumber(words[at + j * 2 + 1]) - counts[tonumber(words[at + j * 2])]
    if left < grant then grant = left end
  end
  if grant < 0 or settling then grant = 0 end
  out = out + 1
  reply[out] = grant
  for j = 1, limits do
    local i = tonumber(words[at + j * 2])
    if grant > 0 then
      counts[i] = counts[i] + grant
      reply[i * 4 + 2] = counts[i]
      changed[i] = true
    end
    out = out + 1
    reply[out] = counts[i]
  end
  at = at + 2 + limits * 2
end

for i = 1, buckets do
  if changed[i] then
    write_bucket(KEYS[i + before], windows[i], epochs[i], counts[i], lengths[i])
  end
end
return table.concat(reply, ' ')
