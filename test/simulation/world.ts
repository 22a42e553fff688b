import v8 from 'node:v8'
import { createRandom, type Random } from '../support/random.ts'

/** A simulated gateway process: what its events run in, and its monotonic clock. */
export interface Process {
  readonly name: string
  /** Killed: none of its events runs any more. */
  isDead: boolean
  /** True milliseconds until which the process stands still. */
  stalledUntil: number
  /** Monotonic milliseconds that pass in one true millisecond. */
  readonly rate: number
  /** What the monotonic clock showed at the beginning. */
  readonly monotonicBase: number
}

/** The order of what one turn of an event loop does, as Node has it. */
export const phases = { timers: 0, sockets: 1, immediates: 2 } as const
type Phase = (typeof phases)[keyof typeof phases]

export interface Happening {
  atMs: number
  readonly phase: Phase
  readonly order: number
  readonly process: Process | undefined
  /** Undefined once cancelled. */
  run: (() => void) | undefined
}

/** Virtual time. Everything that happens is in one queue, and runs in one order that the schedule determines. */
export interface World {
  /** True milliseconds since the beginning. */
  now(): number
  readonly random: Random
  /** @param process whose code it runs; undefined for what is outside of all gateways */
  at(atMs: number, phase: Phase, process: Process | undefined, run: () => void): Happening
  /** Runs code of a process now, and all that its promises lead to. */
  within(process: Process, run: () => void): void
  /** The process whose code runs. @throws outside of one */
  current(): Process
  /** Monotonic milliseconds of the process. */
  monotonic(process: Process): number
  /** Runs everything up to this moment, or until the condition holds. */
  run(untilMs: number, isOver?: () => boolean): void
  /** Changes with everything that happened: when, in which order and phase. */
  digest(): number
}

/**
 * Runs what resolved promises lead to, at once. In a simulation promises are the
 * only thing that JavaScript itself would put off, so that a schedule is over
 * when this returns. V8 has it for its own tests.
 */
const settlePromises = nativeFunction()

function nativeFunction(): () => void {
  v8.setFlagsFromString('--allow-natives-syntax')
  const run: unknown = new Function('%PerformMicrotaskCheckpoint()')
  v8.setFlagsFromString('--no-allow-natives-syntax')
  if (typeof run !== 'function') throw new Error('V8 cannot settle promises here')
  return () => void run()
}

/** The world in which simulated modules run; set before they are used. */
let inhabited: World | undefined

/** @throws when no simulation runs */
export function theWorld(): World {
  if (inhabited === undefined) throw new Error('simulated code ran outside of a simulation')
  return inhabited
}

/** @throws where promises are being settled already: in what follows an `await` */
export function createWorld(seed: number): World {
  let isSettled = false
  void Promise.resolve().then(() => {
    isSettled = true
  })
  settlePromises()
  if (!isSettled) throw new Error('a simulation cannot run in a promise; use setImmediate')
  const queue: Happening[] = []
  let nowMs = 0
  let order = 0
  let digest = 0x811c9dc5
  let running: Process | undefined

  function precedes(a: Happening, b: Happening): boolean {
    if (a.atMs !== b.atMs) return a.atMs < b.atMs
    return a.phase !== b.phase ? a.phase < b.phase : a.order < b.order
  }

  // A binary heap.
  function add(one: Happening): void {
    let at = queue.push(one) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = queue[above]
      if (parent === undefined || !precedes(one, parent)) break
      queue[at] = parent
      at = above
    }
    queue[at] = one
  }

  function takeFirst(): Happening | undefined {
    const first = queue[0]
    const moved = queue.pop()
    if (first === undefined || moved === undefined || queue.length === 0) return first
    let at = 0
    for (;;) {
      let below = at * 2 + 1
      let child = queue[below]
      if (child === undefined) break
      const other = queue[below + 1]
      if (other !== undefined && precedes(other, child)) {
        below += 1
        child = other
      }
      if (!precedes(child, moved)) break
      queue[at] = child
      at = below
    }
    queue[at] = moved
    return first
  }

  function within(process: Process | undefined, run: () => void): void {
    const before = running
    running = process
    try {
      run()
    } finally {
      // Also after an error, or promises of this simulation would go on in the next one.
      if (before === undefined) settlePromises()
      running = before
    }
  }

  const world: World = {
    now: () => nowMs,
    random: createRandom(seed, 'world'),
    at(atMs, phase, process, run) {
      const one = { atMs: Math.max(atMs, nowMs), phase, order: order++, process, run }
      add(one)
      return one
    },
    within,
    current() {
      if (running === undefined) throw new Error('no process runs this')
      return running
    },
    monotonic: ({ monotonicBase, rate }) => monotonicBase + nowMs * rate,
    run(untilMs, isOver = () => false) {
      inhabited = world
      for (;;) {
        const next = queue[0]
        if (next === undefined || next.atMs > untilMs) break
        takeFirst()
        const { process, run } = next
        if (run === undefined || process?.isDead === true) continue
        if (process !== undefined && process.stalledUntil > next.atMs) {
          next.atMs = process.stalledUntil
          add(next)
          continue
        }
        nowMs = next.atMs
        digest = Math.imul(digest ^ (nowMs * 1000 + next.order * 3 + next.phase), 0x01000193)
        within(process, run)
        if (isOver()) return
      }
      nowMs = Math.max(nowMs, untilMs)
    },
    digest: () => digest,
  }
  inhabited = world
  return world
}
