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

local known = {}

local function connect()
  local redis = client:new()
  redis:set_timeout(1000)
  local ok, problem = redis:connect(module.redis.host, module.redis.port)
  if not ok then
    ngx.log(ngx.ERR, problem)
    return ngx.exit(503)
  end
  return redis
end

local function application_of(redis, key, now)
  local entry = known[key]
  if entry and entry.until_seconds > now then return entry.application end
  local application = redis:get("key:" .. key)
  if not application or application == ngx.null then return nil end
  known[key] = { application = application, until_seconds = now + known_seconds }
  return application
end

local function count(redis, bucket)
  if not count_sha then count_sha = redis:script("load", count_script) end
  return redis:evalsha(count_sha, 1, bucket, 2 * window_seconds)
end

function module.admit(operation)
  local key = ngx.var.http_x_api_key
  if not key then return ngx.exit(401) end
  local now = ngx.time()
  local redis = connect()
  local application = application_of(redis, key, now)
  if not application then
    redis:set_keepalive(60000, 256)
    return ngx.exit(401)
  end
  local window = math.floor(now / window_seconds)
  local used = count(redis, "count:" .. application .. ":" .. operation .. ":" .. window)
  redis:set_keepalive(60000, 256)
  if not used then return ngx.exit(503) end
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
