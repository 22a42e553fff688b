-- Does what the other scripts rely on; grant-script.ts knows the reply. Some stores run scripts in another language
-- version, in which a count may come back as `7.0`, or lack a function.
local parts = {}
for word in string.gmatch('7 12', '%S+') do parts[#parts + 1] = tonumber(word) + 1 end
local made = string.match('run:42', '^%w*:(%d+)([ %d/]*)$')
return table.concat({
  string.format('%.0f', 1764201600 * 1000000 + 123456),
  parts[1], parts[2], math.floor(7.9), math.min(3, 2), made, now > 1 and 1 or 0,
}, ' ')
