import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

/** A measured or measuring process, bound to one core, with all the processes it started. */
export interface PinnedProcess {
  /** The first group of the line that `ready` matched; empty if `ready` is a port. */
  readonly address: string
  readonly pid: number
  /** Microseconds of processor time (user and system) that it and its descendants have used. */
  cpuMicroseconds(): number
  /** Resident memory of it and its descendants in bytes. */
  residentBytes(): number
  stop(): Promise<void>
}

export interface PinnedOptions {
  readonly core: number
  /** Words in front of the command. (Default: none) */
  readonly before?: readonly string[]
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /**
   * How to see that it serves: a line of standard output, whose first group is
   * the address, or a port of 127.0.0.1 that accepts connections.
   */
  readonly ready: RegExp | number
  /** Reads its standard error, a piece at a time. (Default: standard error is this process's) */
  readonly readError?: (piece: Buffer) => void
  /** Called ten times a second until it serves, with the resident memory of it and its descendants in bytes. */
  readonly starting?: (residentBytes: number) => void
}

/** Clock ticks a second in /proc: `getconf CLK_TCK`, which is 100 on the machines that run the bench. */
const ticksPerSecond = 100

/**
 * Starts a process on one core (taskset) and waits until it serves. It ends with
 * this process, even if this process is killed.
 *
 * @throws when the process cannot be started, or ends before it serves; nothing of it runs then
 */
export async function startPinned(options: PinnedOptions): Promise<PinnedProcess> {
  const { core, before = [], command, args, ready } = options
  const child = spawn(
    'taskset',
    ['-c', String(core), ...before, 'setpriv', '--pdeathsig', 'TERM', command, ...args],
    {
      stdio: ['ignore', 'pipe', options.readError === undefined ? 'inherit' : 'pipe'],
      env: { ...process.env, ...options.env },
    },
  )
  let hasStarted = false
  // Until it serves, its standard error says why it does not start.
  child.stderr?.on('data', (piece: Buffer) => {
    if (hasStarted) options.readError?.(piece)
    else process.stderr.write(piece)
  })
  const pid = child.pid ?? 0
  const watch = setInterval(() => options.starting?.(residentBytesOfTree(pid)), 100)
  const address = await serving(child, ready).finally(() => clearInterval(watch))
  hasStarted = true
  return {
    address,
    pid,
    ...processTree(pid),
    stop: () => stop(child),
  }
}

/** A process and all its descendants. */
export function processTree(pid: number) {
  return {
    pids: () => treeOf(pid),
    cpuMicroseconds() {
      let ticks = 0
      for (const member of treeOf(pid)) ticks += ticksOf(member)
      return (ticks * 1_000_000) / ticksPerSecond
    },
    residentBytes: () => residentBytesOfTree(pid),
  }
}

/** Resolves with the address when the child serves. If it fails or ends first, stops it and throws. */
async function serving(child: ChildProcess, ready: RegExp | number): Promise<string> {
  const over = new AbortController()
  const { signal } = over
  try {
    return await Promise.race([
      typeof ready === 'number' ? portAnswers(ready, signal) : readyAddress(child, ready),
      // Rejects with an 'error' too, for example if taskset is not installed.
      once(child, 'exit', { signal }).then(([code, killedBy]) => {
        throw new Error(`ended with ${code ?? killedBy} before it served`)
      }),
    ])
  } catch (error) {
    await stop(child)
    throw error
  } finally {
    over.abort()
  }
}

/** Ends the child, within 20 s by force. Resolves at once for a child that has ended, or never started. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
  await once(child, 'exit')
  clearTimeout(timer)
}

function readyAddress({ stdout }: ChildProcess, ready: RegExp): Promise<string> {
  return new Promise((resolve) => {
    if (stdout === null) throw new Error('no standard output')
    createInterface({ input: stdout }).on('line', (line) => {
      const match = ready.exec(line)
      if (match !== null) resolve(match[1] ?? '')
    })
  })
}

/** Resolves with '' when a connection to the port succeeds, or the signal aborts. */
async function portAnswers(port: number, signal: AbortSignal): Promise<string> {
  while (!signal.aborted) {
    const socket = connect({ port, host: '127.0.0.1' })
    try {
      await once(socket, 'connect')
      break
    } catch {
      await delay(20)
    } finally {
      socket.destroy()
    }
  }
  return ''
}

function treeOf(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const parent = Number(statOf(pid)[1])
    children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const tree = [root]
  for (const pid of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

/** The fields from "state" on, after the parenthesised command name (proc(5)); empty for a process that has ended. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** User and system time, its own and that of children it has outlived. */
function ticksOf(pid: number): number {
  return statOf(pid)
    .slice(11, 15)
    .reduce((sum, field) => sum + Number(field), 0)
}

function residentBytesOfTree(pid: number): number {
  let bytes = 0
  for (const member of treeOf(pid)) bytes += residentBytesOf(member)
  return bytes
}

function residentBytesOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
