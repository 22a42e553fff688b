-- Sets the count of a bucket to 0 in the current window and raises its epoch.
-- KEYS[1] the bucket; ARGV[1] window length in ms. Reply, words: now in ms, window, epoch.
-- The new epoch is at least the time in ms: higher than any earlier epoch, even one that only another
-- process remembers after this server lost it. The window comes from the clock, even if that goes
-- back, so that a reset frees a bucket that a wrong clock sent far ahead.

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local epoch = 0
local stored = redis.pcall('GET', KEYS[1])
if type(stored) == 'string' then
  epoch = tonumber(string.match(stored, '^%d+ (%d+) %d+$') or 0)
elseif stored and not string.find(stored.err, 'WRONGTYPE', 1, true) then
  return stored
end
-- The maximum that grant.lua reads.
epoch = math.min(math.max(epoch + 1, now), 99999999999999)
local length = tonumber(ARGV[1])
local window = math.floor(now / length)
redis.call('SET', KEYS[1], window .. ' ' .. epoch .. ' 0', 'PX', length * 2)
return now .. ' ' .. window .. ' ' .. epoch
