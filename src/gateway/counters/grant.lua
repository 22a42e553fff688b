-- Decides a batch of calls on a batch of buckets, by the clock of this server.
-- grant-script.ts writes the arguments and reads the reply; the two files change together.
--
-- KEYS       the marker, if the first word is not `-`: its absence means that the counters of this server were lost;
--            then the buckets, each `<window> <epoch> <count>`
-- ARGV[1]    words with spaces between them: one argument and one reply cost the process that asks half of many
-- first word `-`: there is no marker beside these buckets, and nothing is said of it. Else milliseconds after the loss
--            in which nothing is granted or added, so that every process can bring its floors; alone, or followed by
--            /<run id of this server>    or nothing: not told. A marker another run left here, before a restart or on the
--                                        server this one was promoted after, says nothing of what was lost since: it
--                                        counts as absent
--            /<marker>                   that counts as absent too, or nothing
--            /<marker>                   to be written for an absent one, by who knows that nothing was lost, or nothing
-- then for each bucket: window length in ms, floor (window, epoch, count), addition (window, count)
-- then for each group of equal calls: asked, number of limits, and for each limit: bucket index, calls
--
-- Reply, words likewise: now in ms, marker, 1 while nothing is granted,
-- then for each bucket: window, epoch, count, 1 when its stored value made no sense,
-- then for each group: granted, and for each limit: count of its bucket after this group.
--
-- Numbers become text with 14 significant digits, enough for milliseconds since 1970, not for microseconds. What
-- another hand stored in more digits is read as the most of them: rounded, it could not be read back.
local most = 99999999999999

local time = redis.call('TIME')
local seconds, micros = tonumber(time[1]), tonumber(time[2])
local now = seconds * 1000 + math.floor(micros / 1000)

local words, last = {}, 0
for word in string.gmatch(ARGV[1], '%S+') do
  last = last + 1
  words[last] = word
end

local before, marker_made, settling = 0, '0', false
if words[1] ~= '-' then
  before = 1
  local settle, own_run, stale, vouched = tonumber(words[1]), '', '', ''
  if not settle then
    settle, own_run, stale, vouched = string.match(words[1], '^(%d+)/(%w*)/(%d*)/(%d*)$')
  end
  local run, made
  local marker = redis.pcall('GET', KEYS[1])
  if type(marker) == 'string' then
    run, made = string.match(marker, '^(%w*):(%d+)$')
  end
  if not made or (own_run ~= '' and run ~= own_run) or made == stale then
    made = vouched ~= '' and vouched or string.format('%.0f', seconds * 1000000 + micros)
    redis.call('SET', KEYS[1], own_run .. ':' .. made)
  end
  marker_made = made
  -- A clock that stepped back behind the marker must not close the counters until it catches up.
  local age = seconds * 1000000 + micros - tonumber(made)
  settling = age >= 0 and age < tonumber(settle) * 1000
end

local reply = { now, marker_made, settling and 1 or 0 }
local buckets = #KEYS - before
local lengths, windows, epochs, counts, changed = {}, {}, {}, {}, {}
local at = 2
for i = 1, buckets do
  local length = tonumber(words[at])
  local stored = redis.pcall('GET', KEYS[i + before])
  local window, epoch, count
  local damaged = 0
  if type(stored) == 'string' then
    window, epoch, count = string.match(stored, '^(%d+) (%d+) (%d+)$')
    if not window then damaged = 1 end
  elseif stored then
    -- Only another type may be overwritten; any other error is the server's and ends the call.
    if not string.find(stored.err, 'WRONGTYPE', 1, true) then return stored end
    damaged = 1
  end
  window = math.min(tonumber(window or 0), most)
  epoch = math.min(tonumber(epoch or 0), most)
  count = math.min(tonumber(count or 0), most)

  -- The window never goes back: a count of window 7 must not begin again because a clock says 6.
  local current = math.floor(now / length)
  if window < current then
    window, count = current, 0
  end
  local floor_window, floor_epoch = tonumber(words[at + 1]), tonumber(words[at + 2])
  if floor_epoch >= epoch and floor_window >= window then
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
  -- Not before the floors are in: a floor that comes after an addition would swallow it. Of a window that
  -- an own clock guessed too late, the addition counts in the present one: never too few.
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
    local value = string.format('%.0f %.0f %.0f', windows[i], epochs[i], counts[i])
    redis.call('SET', KEYS[i + before], value, 'PX', lengths[i] * 2)
  end
end
return table.concat(reply, ' ')
