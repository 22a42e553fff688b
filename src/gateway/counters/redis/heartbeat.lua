-- Registers a process that counts here, or removes it, and returns all registered processes.
-- KEYS[1] last beat of each process, by this server's clock in ms; ARGV[1] the process; ARGV[2] 1: it counts, 0: it stops;
-- ARGV[3] milliseconds after which a silent process is gone. Reply, words: the processes.

local lifetime = tonumber(ARGV[3])
local stored = redis.pcall('ZRANGE', KEYS[1], 0, 0)
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
-- Removes beats from a clock that was ahead.
redis.call('ZREMRANGEBYSCORE', KEYS[1], now + lifetime, '+inf')
redis.call('PEXPIRE', KEYS[1], lifetime)
return table.concat(redis.call('ZRANGE', KEYS[1], 0, -1), ' ')
