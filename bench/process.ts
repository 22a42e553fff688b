import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** A measured or measuring process, bound to one core. */
export interface PinnedProcess {
  /** First line it printed that `ready` matched; the first group of the match. */
  readonly address: string
  /** Microseconds of processor time (user and system) all its threads have used. */
  cpuMicroseconds(): number
  /** Resident memory in bytes. */
  residentBytes(): number
  stop(): Promise<void>
}

export interface PinnedOptions {
  readonly core: number
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The line of standard output that says it serves; its first group is the address. */
  readonly ready: RegExp
}

/** Clock ticks a second in /proc; 100 on every Linux of ours (getconf CLK_TCK). */
const ticksPerSecond = 100

/** Starts a process on one core (taskset) and waits until it serves. */
export async function startPinned(options: PinnedOptions): Promise<PinnedProcess> {
  const child = spawn('taskset', ['-c', String(options.core), options.command, ...options.args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...options.env },
  })
  const address = await readyAddress(child, options.ready)
  const { pid } = child
  return {
    address,
    cpuMicroseconds() {
      // Fields 14 and 15, counted behind the parenthesised command name (proc(5)).
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const ticks = Number(fields[11]) + Number(fields[12])
      return (ticks * 1_000_000) / ticksPerSecond
    },
    residentBytes() {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
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
