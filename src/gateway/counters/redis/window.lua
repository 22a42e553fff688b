-- The beginning of every script: this server's time, its windows, and how a bucket is stored.
-- A bucket is `<window> <epoch> <count>`.
-- Lua prints numbers with 14 significant digits: enough for milliseconds since 1970, not for microseconds. A stored
-- number with more digits, which only a foreign writer leaves, is read as the largest 14-digit number.
local most = 99999999999999

local time = redis.call('TIME')
local seconds, micros = tonumber(time[1]), tonumber(time[2])
local now = seconds * 1000 + math.floor(micros / 1000)

-- The window that contains this moment. Windows of this length in ms follow each other from 1970; see window.ts.
local function current_window(length)
  return math.floor(now / length)
end

-- Window, epoch and count of a bucket, and 1 if its value was malformed; only an error if the server has a fault.
-- A value of another type may be overwritten. Any other error ends the script.
local function read_bucket(key)
  local stored = redis.pcall('GET', key)
  if not stored then return 0, 0, 0, 0 end
  if type(stored) ~= 'string' then
    if not string.find(stored.err, 'WRONGTYPE', 1, true) then return nil, stored end
    return 0, 0, 0, 1
  end
  local window, epoch, count = string.match(stored, '^(%d+) (%d+) (%d+)$')
  if not window then return 0, 0, 0, 1 end
  return math.min(tonumber(window), most), math.min(tonumber(epoch), most), math.min(tonumber(count), most), 0
end

-- The key expires two windows after its last change.
local function write_bucket(key, window, epoch, count, length)
  redis.call('SET', key, string.format('%.0f %.0f %.0f', window, epoch, count), 'PX', length * 2)
end

