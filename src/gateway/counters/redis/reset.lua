-- Sets the count of a bucket to 0 in the current window and raises its epoch.
-- KEYS[1] the bucket; ARGV[1] windows as in window.lua. Reply, words: now in ms, window, epoch.
-- The new epoch is at least the time in ms: higher than any earlier epoch, even one that only another
-- process remembers after this server lost it. The window comes from the clock, even if that goes
-- back, so that a reset frees a bucket that a wrong clock sent far ahead.

local current, length = current_window(ARGV[1])
if not current then return length end
local window, epoch = read_bucket(KEYS[1], length)
if not window then return epoch end
epoch = math.min(math.max(epoch + 1, now), most)
write_bucket(KEYS[1], current, epoch, 0, length)
return string.format('%.0f %.0f %.0f', now, current, epoch)
