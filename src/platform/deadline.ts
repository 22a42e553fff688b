/**
 * Calls `missed` after `ms` (at the next chance if negative), but only after
 * sockets were read once more. After a stall of the event loop, timers run
 * first, while the awaited reply may already be in the socket's buffer.
 *
 * @returns a function that cancels the deadline
 */
export function startDeadline(ms: number, missed: () => void): () => void {
  let afterPoll: NodeJS.Immediate | undefined
  const timer = setTimeout(
    () => {
      // One turn of the event loop runs timers, then polls sockets, then runs immediates.
      afterPoll = setImmediate(missed)
    },
    Math.max(1, ms),
  )
  return () => {
    clearTimeout(timer)
    clearImmediate(afterPoll)
  }
}
