import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import {
  grantScript,
  resetScript,
  type Script,
} from '../../src/gateway/counters/redis/grant-script.ts'

/** The clock of the servers that run the scripts, as far as the scripts see it. */
export interface ShiftedClock {
  /** Makes it this time on every server; it goes on from there. */
  set(timeMs: number): void
  /** Makes it this time on every server until it is moved. */
  stop(timeMs: number): void
  /** Advances every server by this many whole milliseconds. */
  pass(ms: number): void
  /** Milliseconds since 1970. */
  now(): number
}

/**
 * Shifts the time that the scripts read. Under Debian's `libfaketime` a Redis
 * does not start, because its allocator asks for the time before that library is
 * ready. So the scripts add the shift to the server's time; all else is real.
 */
export function shiftClock(t: Test): ShiftedClock {
  const scripts = [grantScript, resetScript].map((script) => ({ script, original: { ...script } }))
  const line = "local time = redis.call('TIME')\n"
  let shiftMs = 0
  let stoppedAt: number | undefined
  t.teardown(() => {
    for (const { script, original } of scripts) Object.assign(script, original)
  })
  function move(): void {
    const micros =
      stoppedAt === undefined ? `time[1] * 1000000 + time[2] + ${shiftMs * 1000}` : stoppedAt * 1000
    const moved = `
      local moved = ${micros}
      time = { math.floor(moved / 1000000), moved % 1000000 }
    `
    for (const { script, original } of scripts) {
      if (!original.text.includes(line)) throw new Error('the scripts read the time elsewhere')
      const text = original.text.replace(line, `${line}${moved}\n`)
      const shifted: Script = { text, sha1: createHash('sha1').update(text).digest('hex') }
      Object.assign(script, shifted)
    }
  }
  return {
    set(timeMs) {
      shiftMs = timeMs - Date.now()
      stoppedAt = undefined
      move()
    },
    stop(timeMs) {
      stoppedAt = timeMs
      move()
    },
    pass(ms) {
      if (stoppedAt === undefined) shiftMs += ms
      else stoppedAt += ms
      move()
    },
    now: () => stoppedAt ?? Date.now() + shiftMs,
  }
}

/**
 * A clock of the store that begins at this time, in milliseconds since 1970, and one of the processes that goes along with
 * it.
 */
export function movedClocks(t: Test, beginMs: number) {
  const clock = shiftClock(t)
  clock.set(beginMs)
  let skipped = 0
  return {
    clock,
    monotonic: () => performance.now() + skipped,
    setTime(timeMs: number) {
      const before = clock.now()
      clock.set(timeMs)
      skipped += clock.now() - before
    },
    pass(ms: number) {
      clock.pass(ms)
      skipped += ms
    },
  }
}
