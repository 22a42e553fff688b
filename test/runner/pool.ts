import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { killGroup } from './kill-group.ts'
import type { Answer, FileResult, Order } from './messages.ts'

/** How long after the time limit of a file its process may report it. One that is too busy to is killed. */
const silentSeconds = 60
/** How long a process with nothing left to run may take to end. */
const endSeconds = 30
/** How long the last output of a process that has ended may take to arrive. */
const lastWordsMs = 5_000

export interface PoolOptions {
  /** How many processes run at the same time. */
  readonly size: number
  /** Whether each file has its own process. */
  readonly isApart: boolean
  /** The time limit of a file. It is generous: servers and browsers start slowly on a busy machine. */
  readonly fileSeconds: number
  /** For temporary files, and for templates of databases, which all processes share. */
  readonly folder: string
  onEnd(result: EndedFile): void
}

export interface EndedFile extends FileResult {
  /** What its process wrote to standard error meanwhile, the last of it. */
  readonly written: string
}

/** Processes that run files of tests. */
export interface Pool {
  /** Runs the files in this order and resolves when all have ended. */
  run(files: readonly string[]): Promise<void>
  /** The files that are running, with the seconds since they began. */
  running(): readonly { readonly file: string; readonly seconds: number }[]
  /** Kills the processes and what they started. */
  kill(): void
}

interface Process {
  readonly child: ChildProcess
  file: string | undefined
  begun: number
  /** What it wrote to standard error since the file began. */
  written: string
  /** Whether a file has failed in it. */
  hasFailed: boolean
}

/** Without what makes tap leave out tests (TAP_GREP), and git use the repository whose hook runs the tests (GIT_DIR). */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:TAP|GIT)_/.test(name)),
)

const program = fileURLToPath(new URL('process.ts', import.meta.url))

export function openPool({ size, isApart, fileSeconds, folder, onEnd }: PoolOptions): Pool {
  const hangSeconds = fileSeconds + silentSeconds
  const processes = new Set<Process>()

  /** Runs files until none is left, in as many processes as that takes. */
  async function takeFrom(queue: string[]): Promise<void> {
    let process: Process | undefined
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      process ??= start()
      const result = await runIn(process, file)
      process.hasFailed ||= result.failures.length > 0
      const isLast = isApart || queue.length === 0
      const leftover = isLast && !result.isSpent ? await end(process) : undefined
      if (result.isSpent) killGroup(process.child)
      if (result.isSpent || isLast) process = undefined
      onEnd(leftover === undefined ? result : withFailure(result, leftover))
    }
  }

  function start(): Process {
    const child = spawn(globalThis.process.execPath, [program, folder], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...environment, TMPDIR: folder },
      // With its own group, so that what it starts can be killed with it.
      detached: true,
    })
    const process: Process = { child, file: undefined, begun: 0, written: '', hasFailed: false }
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      process.written = (process.written + text).slice(-100_000)
    })
    processes.add(process)
    child.once('exit', () => processes.delete(process))
    return process
  }

  function runIn(process: Process, file: string): Promise<EndedFile> {
    const { child } = process
    Object.assign(process, { file, begun: performance.now(), written: '' })
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => void stop(`it said nothing for ${hangSeconds} s`),
        hangSeconds * 1000,
      )
      child.on('message', answered)
      child.once('exit', exited)
      const order: Order = { run: file, seconds: fileSeconds }
      child.send(order, ignoreLost)

      function answered(message: object): void {
        if (!('ended' in message)) return
        settle()
        // Only process.ts sends messages with that member.
        const { ended } = message as Answer
        resolve({ ...ended, written: process.written })
      }
      function settle(): void {
        clearTimeout(timer)
        child.off('message', answered).off('exit', exited)
      }
      function exited(code: number | null, signal: string | null): void {
        void stop(`its process ended with ${signal ?? `code ${code}`}`)
      }
      async function stop(detail: string): Promise<void> {
        settle()
        const seconds = (performance.now() - process.begun) / 1000
        const closed = once(child, 'close', { signal: AbortSignal.timeout(lastWordsMs) })
        // What it started holds its standard error open.
        killGroup(child)
        await closed.catch(() => undefined)
        const { written } = process
        resolve(withFailure({ ...nothing(file), seconds, written, isSpent: true }, detail))
      }
    })
  }

  return {
    async run(files) {
      const queue = [...files]
      await Promise.all(Array.from({ length: size }, () => takeFrom(queue)))
    },

    running() {
      const now = performance.now()
      return [...processes].flatMap(({ file, begun }) =>
        file === undefined ? [] : [{ file, seconds: (now - begun) / 1000 }],
      )
    },

    kill() {
      for (const { child } of processes) killGroup(child)
    },
  }
}

/** @returns what is wrong with how it ended; undefined for nothing */
async function end({ child, hasFailed }: Process): Promise<string | undefined> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(endSeconds * 1000) })
    const order: Order = { end: true }
    child.send(order, ignoreLost)
    const isInTime = await ended.then(
      () => true,
      () => false,
    )
    if (!isInTime) {
      killGroup(child)
      return `its process did not end within ${endSeconds} s`
    }
  }
  // Programs that it started and that are still running.
  killGroup(child)
  if (child.signalCode !== null) return `its process ended with ${child.signalCode}`
  // Tap, too, ends with a code when a file has failed.
  return child.exitCode === 0 || hasFailed
    ? undefined
    : `its process ended with code ${child.exitCode}`
}

/** When a message does not arrive, the process has ended, and its exit says so. */
function ignoreLost(): void {}

function nothing(file: string): EndedFile {
  return { file, seconds: 0, passed: 0, failures: [], skips: [], isSpent: false, written: '' }
}

function withFailure(result: EndedFile, detail: string): EndedFile {
  return { ...result, failures: [...result.failures, { title: 'the file ends by itself', detail }] }
}
