-- wrk -s wrk.lua <url> -- <request file> <first index> <expected status>
-- Sends prepared requests in order; prints one line of JSON at the end. If a
-- refusal is expected, compares every status; otherwise wrk's own count of 4xx
-- and 5xx is enough and costs less.

local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

local requests = {}
local position = 0
wrong = 0

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  while true do
    local length = file:read('*n')
    if not length then break end
    file:read(1)
    requests[#requests + 1] = file:read(length)
  end
  file:close()
  position = tonumber(args[2]) % #requests
  local expected = tonumber(args[3])
  if expected >= 400 then
    response = function(status)
      if status ~= expected then wrong = wrong + 1 end
    end
  end
end

function request()
  position = position + 1
  if position > #requests then position = 1 end
  return requests[position]
end

function done(summary, latency)
  local mismatches = 0
  for _, thread in ipairs(threads) do
    mismatches = mismatches + thread:get('wrong')
  end
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%.6f,"p50Ms":%.4f,"p99Ms":%.4f,"bytes":%d,"status":%d,"wrong":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    summary.bytes, errors.status, mismatches,
    errors.connect + errors.read + errors.write + errors.timeout
  ))
end
