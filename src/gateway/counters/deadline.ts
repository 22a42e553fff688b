/**
 * Calls `missed` when `ms` have passed, but never before sockets were read once
 * more: after a stall of our own loop timers run first, while the reply they
 * wait for may have been in the socket's buffer all along.
 *
 * @returns what calls it off
 */
export function startDeadline(ms: number, missed: () => void): () => void {
  let afterPoll: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    // Timers, then poll, then immediates: the order of the phases of one turn.
    afterPoll = setImmediate(missed)
  }, ms)
  return () => {
    clearTimeout(timer)
    clearImmediate(afterPoll)
  }
}
