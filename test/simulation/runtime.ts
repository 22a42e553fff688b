import { type Process, phases, theWorld } from './world.ts'

// What the modules of the counters get instead of the timers, clocks and randomness of Node.

interface Timer {
  /** As on a timer of Node. */
  unref(): Timer
  cancel(): void
}

export function setTimeout(run: () => void, ms: number): Timer {
  const world = theWorld()
  const process = world.current()
  const happening = world.at(world.now() + spanOf(process, ms), phases.timers, process, run)
  return timerOf(() => {
    happening.run = undefined
  })
}

export function setInterval(run: () => void, ms: number): Timer {
  const world = theWorld()
  const process = world.current()
  let isCancelled = false
  function again(): void {
    world.at(world.now() + spanOf(process, ms), phases.timers, process, () => {
      if (isCancelled) return
      again()
      run()
    })
  }
  again()
  return timerOf(() => {
    isCancelled = true
  })
}

export function setImmediate(run: () => void): Timer {
  const world = theWorld()
  const happening = world.at(world.now(), phases.immediates, world.current(), run)
  return timerOf(() => {
    happening.run = undefined
  })
}

export function clearTimeout(timer: Timer | undefined): void {
  timer?.cancel()
}
export const clearInterval = clearTimeout
export const clearImmediate = clearTimeout

/** Replaces that of `node:timers/promises`. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Clocks and randomness must come from the options of the counter. */
export function refuse(): never {
  throw new Error('the counters use a clock or randomness that is not simulated')
}
const noClock = { now: refuse }

export { noClock as Date, noClock as performance }

/** True milliseconds in which this many pass by the clock of the process; at least 1, as in Node. */
function spanOf({ rate }: Process, ms: number): number {
  return Math.max(1, Math.trunc(ms)) / rate
}

function timerOf(cancel: () => void): Timer {
  const timer: Timer = { unref: () => timer, cancel }
  return timer
}
