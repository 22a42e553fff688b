import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

/** A measured or measuring process, bound to one core, with all the processes it started. */
export interface PinnedProcess {
  /** The first group of the ready line; empty if a port was awaited. */
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
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** What says that it serves: a line of standard output, whose first group is the address, or a port of 127.0.0.1. */
  readonly ready: RegExp | number
  /** Reads its standard error, a piece at a time. (Default: standard error is this process's) */
  readonly readError?: (piece: Buffer) => void
  /** Called ten times a second until it serves, with the resident memory of it and its descendants in bytes. */
  readonly starting?: (residentBytes: number) => void
}

/** Clock ticks a second in /proc; 100 on every Linux of ours (getconf CLK_TCK). */
const ticksPerSecond = 100

/** Starts a process on one core (taskset) and waits until it serves. It ends with this process, however that ends. */
export async function startPinned(options: PinnedOptions): Promise<PinnedProcess> {
  const { core, command, args, ready } = options
  const child = spawn(
    'taskset',
    ['-c', String(core), 'setpriv', '--pdeathsig', 'TERM', command, ...args],
    {
      stdio: ['ignore', 'pipe', options.readError === undefined ? 'inherit' : 'pipe'],
      env: { ...process.env, ...options.env },
    },
  )
  let hasStarted = false
  // Until then, its output explains why it does not start.
  child.stderr?.on('data', (piece: Buffer) => {
    if (hasStarted) options.readError?.(piece)
    else process.stderr.write(piece)
  })
  const pid = child.pid ?? 0
  const watch = setInterval(() => options.starting?.(residentBytesOfTree(pid)), 100)
  const address = await (typeof ready === 'number'
    ? portAnswers(child, ready)
    : readyAddress(child, ready)
  ).finally(() => clearInterval(watch))
  hasStarted = true
  return {
    address,
    pid,
    cpuMicroseconds() {
      let ticks = 0
      for (const member of treeOf(pid)) ticks += ticksOf(member)
      return (ticks * 1_000_000) / ticksPerSecond
    },
    residentBytes: () => residentBytesOfTree(pid),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
      await once(child, 'exit')
      clearTimeout(timer)
    },
  }
}

function readyAddress(child: ChildProcess, ready: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready`)))
    if (child.stdout === null) throw new Error('no standard output')
    createInterface({ input: child.stdout }).on('line', (line) => {
      const match = ready.exec(line)
      if (match !== null) resolve(match[1] ?? '')
    })
  })
}

async function portAnswers(child: ChildProcess, port: number): Promise<string> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode} before it listened`)
    const socket = connect({ port, host: '127.0.0.1' })
    try {
      await once(socket, 'connect')
      return ''
    } catch {
      await delay(20)
    } finally {
      socket.destroy()
    }
  }
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
