import { ChildProcess } from 'node:child_process'
import { Server, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

// What a file of tests leaves to the next one: servers, sockets, timers, programs and threads that it did not end, and a
// changed environment.

/**
 * Sockets and timers may end a little later than the code that ended them. The tests of the runner leave things open on
 * purpose.
 */
const settleMs = Number(process.env['RUNNER_SETTLE_MS'] ?? 10_000)

/** What keeps this process alive. */
interface Open {
  /** All of it, by kind. */
  readonly kinds: ReadonlyMap<string, number>
  /** Servers, sockets and programs. */
  readonly handles: ReadonlySet<object>
}

/** The current folder and all variables of the environment. */
type Environment = ReadonlyMap<string, string | undefined>

/**
 * Starts a program that all files of this process use. It ends with the process
 * and does not keep it alive, so no file has left it open.
 */
export async function shareInProcess<T>(start: () => Promise<T>): Promise<T> {
  const before = new Set(handles())
  const started = await start()
  for (const handle of handles()) if (!before.has(handle) && isOfProgram(handle)) handle.unref()
  return started
}

/** A program and the pipes to it, not a connection or a timer that a test opened meanwhile. */
function isOfProgram(handle: object): handle is ChildProcess | Socket {
  return (
    handle instanceof ChildProcess ||
    (handle instanceof Socket && handle.remoteFamily === undefined)
  )
}

/** Node has no public function that gives more than their kinds. */
function handles(): readonly object[] {
  return (process as unknown as { _getActiveHandles(): readonly object[] })._getActiveHandles()
}

/** To call before a file runs. */
export function lookAtOpen(): Open {
  const kinds = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  return { kinds, handles: new Set(handles()) }
}

/** To call before a file runs. */
export function lookAtEnvironment(): Environment {
  return new Map([['the current folder', process.cwd()], ...Object.entries(process.env)])
}

/** @returns the names of what is not as it was before */
export function changedSince(before: Environment): readonly string[] {
  const now = lookAtEnvironment()
  const names = new Set([...before.keys(), ...now.keys()])
  return [...names].filter((name) => now.get(name) !== before.get(name))
}

/**
 * Waits until nothing is open but what was open before.
 *
 * @returns what stays open, as "2 × TCPServerWrap", and where; empty for nothing
 */
export async function leftOpenSince(before: Open): Promise<readonly string[]> {
  const until = performance.now() + settleMs
  for (let pauseMs = 0; ; pauseMs = Math.min(pauseMs + 5, 100)) {
    // In the first round, what ends in this turn of the event loop ends.
    await delay(pauseMs)
    const now = lookAtOpen()
    const left = [...now.kinds]
      .map(([kind, count]) => [kind, count - (before.kinds.get(kind) ?? 0)] as const)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${count} × ${kind}`)
    if (left.length === 0) return left
    const opened = [...now.handles].filter((handle) => !before.handles.has(handle))
    if (performance.now() > until) return [...left, ...opened].map(named)
  }
}

function named(open: string | object): string {
  if (open instanceof Server) return `a server on ${JSON.stringify(open.address())}`
  if (open instanceof ChildProcess) return `the program ${open.spawnargs.join(' ')}`
  if (open instanceof Socket && open.remotePort !== undefined)
    return `a connection from port ${open.localPort} to ${open.remotePort}`
  return typeof open === 'string' ? open : `a ${open.constructor.name}`
}
