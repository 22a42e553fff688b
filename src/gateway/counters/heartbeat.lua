-- Tells that a process counts here, or that it stops, and asks how many do.
-- KEYS[1] when each was heard last, by this server's clock in ms; ARGV[1] the process; ARGV[2] 1: it counts, 0: it stops;
-- ARGV[3] milliseconds after which a silent process is gone. Reply: how many there are.

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local lifetime = tonumber(ARGV[3])
local stored = redis.pcall('ZCARD', KEYS[1])
if type(stored) == 'table' and stored.err then
  if not string.find(stored.err, 'WRONGTYPE', 1, true) then return stored end
  redis.call('DEL', KEYS[1])
end
if ARGV[2] == '1' then
  redis.call('ZADD', KEYS[1], now, ARGV[1])
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - lifetime)
-- From a clock that was ahead.
redis.call('ZREMRANGEBYSCORE', KEYS[1], now + lifetime, '+inf')
redis.call('PEXPIRE', KEYS[1], lifetime)
return redis.call('ZCARD', KEYS[1])
