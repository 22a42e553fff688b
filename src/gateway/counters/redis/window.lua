-- The beginning of every script: this server's time, its windows, and how a bucket is stored.
-- A bucket is `<window> <epoch> <count>`.
-- Lua prints numbers with 14 significant digits: enough for milliseconds since 1970, not for microseconds. A stored
-- number with more digits, which only a foreign writer leaves, is read as the largest 14-digit number.
local most = 99999999999999

local time = redis.call('TIME')
local seconds, micros = tonumber(time[1]), tonumber(time[2])
local now = seconds * 1000 + math.floor(micros / 1000)

-- The window that contains this moment, and its length in ms. window.ts writes the word and explains windows.
-- Clock windows of <word> ms follow each other from 1970. This server knows no time zones, so a process sends calendar
-- windows as <number of the first>/<ms since 1970 when it begins>/<when the next one begins>/…
-- If no window contains this moment, the process has another time: nil, and an error with this server's time. It must
-- end the script before anything is granted.
local function current_window(word)
  local length = tonumber(word)
  if length then return math.floor(now / length), length end
  local window, begins_at
  for number in string.gmatch(word, '%-?%d+') do
    number = tonumber(number)
    if not window then
      window = number - 1
    elseif number <= now then
      window, begins_at = window + 1, number
    elseif begins_at then
      return window, number - begins_at
    else
      break
    end
  end
  return nil, redis.error_reply(string.format('WINDOWS %.0f', now))
end

-- When the year 10000 begins, in ms since 1970. No clock goes that far, so only a foreign writer leaves a window that
-- ends later.
local end_of_time = 253402300800000

-- Window, epoch and count of a bucket with windows of length ms, and 1 if its value was malformed; only an error if the
-- server has a fault. A value of another type may be overwritten. Any other error ends the script.
local function read_bucket(key, length)
  local stored = redis.pcall('GET', key)
  if not stored then return 0, 0, 0, 0 end
  if type(stored) ~= 'string' then
    if not string.find(stored.err, 'WRONGTYPE', 1, true) then return nil, stored end
    return 0, 0, 0, 1
  end
  local window, epoch, count = string.match(stored, '^(%d+) (%d+) (%d+)$')
  if not window or (tonumber(window) + 1) * length > end_of_time then return 0, 0, 0, 1 end
  return math.min(tonumber(window), most), math.min(tonumber(epoch), most), math.min(tonumber(count), most), 0
end

-- The key expires two windows after its last change.
local function write_bucket(key, window, epoch, count, length)
  redis.call('SET', key, string.format('%.0f %.0f %.0f', window, epoch, count), 'PX', length * 2)
end

