-- Admits a call: a known key, then one more of the application's calls to the
-- operation in this clock hour. The count is one script call, so that the
-- counter of an hour always has an end.

local client = require "nginx.redis"

local module = { redis = nil }

local limit = 1000000000
local window_seconds = 3600
local known_seconds = 30

local count_script = [[
local count = redis.call('incr', KEYS[1])
if count == 1 then redis.call('expire', KEYS[1], ARGV[1]) end
return count]]
local count_sha

-- Applications by key, for known_seconds. It has an entry only for keys that
-- are valid, of which the bench has a fixed number, so nothing is evicted.
local known = {}

local function fail(problem)
  ngx.log(ngx.ERR, problem)
  return ngx.exit(503)
end

-- The application of a key; nil if there is no such key; nil and the problem if Redis does not say.
local function application_of(redis, key, now)
  local entry = known[key]
  if entry and entry.until_seconds > now then return entry.application end
  local application, problem = redis:get("key:" .. key)
  if not application then return nil, problem end
  if application == ngx.null then return nil end
  known[key] = { application = application, until_seconds = now + known_seconds }
  return application
end

local function load_script(redis)
  local sha, problem = redis:script("load", count_script)
  if not sha then return nil, problem end
  count_sha = sha
  return sha
end

-- The count after this call; nil and the problem if Redis does not say.
local function count(redis, bucket)
  if not count_sha then
    local sha, problem = load_script(redis)
    if not sha then return nil, problem end
  end
  local used, problem = redis:evalsha(count_sha, 1, bucket, 2 * window_seconds)
  -- A Redis that restarted has lost the script.
  if not used and problem and problem:find("^NOSCRIPT") then
    local sha, load_problem = load_script(redis)
    if not sha then return nil, load_problem end
    used, problem = redis:evalsha(count_sha, 1, bucket, 2 * window_seconds)
  end
  if not used then return nil, problem end
  return used
end

function module.admit(operation)
  local key = ngx.var.http_x_api_key
  if not key then return ngx.exit(401) end
  local now = ngx.time()
  local redis = client:new()
  redis:set_timeout(1000)
  local connected, connect_problem = redis:connect(module.redis.host, module.redis.port)
  if not connected then return fail(connect_problem) end
  local application, get_problem = application_of(redis, key, now)
  if get_problem then
    redis:close()
    return fail(get_problem)
  end
  if not application then
    redis:set_keepalive(60000, 256)
    return ngx.exit(401)
  end
  local window = math.floor(now / window_seconds)
  local used, count_problem = count(redis, "count:" .. application .. ":" .. operation .. ":" .. window)
  if not used then
    redis:close()
    return fail(count_problem)
  end
  redis:set_keepalive(60000, 256)
  local reset = (window + 1) * window_seconds - now
  local remaining = limit - used
  local header = ngx.header
  header["RateLimit-Policy"] = '"default";q=' .. limit .. ";w=" .. window_seconds
  if remaining < 0 then
    header["RateLimit"] = '"default";r=0;t=' .. reset
    header["Retry-After"] = reset
    return ngx.exit(429)
  end
  header["RateLimit"] = '"default";r=' .. remaining .. ";t=" .. reset
end

return module
