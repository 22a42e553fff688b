-- Sets the count of a bucket to 0 in the present window and raises its epoch.
-- KEYS[1] the bucket; ARGV[1] window length in ms. Reply, words: now in ms, window, epoch.
--
-- The new epoch is at least the time: higher than any epoch before, even one that only a process
-- remembers because this server lost it. The window is taken from the clock, also when that means
-- back, so that a reset frees a bucket which a wrong clock sent far ahead.

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local epoch = 0
local stored = redis.pcall('GET', KEYS[1])
if type(stored) == 'string' then
  epoch = tonumber(string.match(stored, '^%d+ (%d+) %d+$') or 0)
elseif stored and not string.find(stored.err, 'WRONGTYPE', 1, true) then
  return stored
end
-- Not above what grant.lua reads.
epoch = math.min(math.max(epoch + 1, now), 99999999999999)
local length = tonumber(ARGV[1])
local window = math.floor(now / length)
redis.call('SET', KEYS[1], window .. ' ' .. epoch .. ' 0', 'PX', length * 2)
return now .. ' ' .. window .. ' ' .. epoch
