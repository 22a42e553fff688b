// This folder writes the log. Read this file first, then `security-events.ts`: the table of events that collectors and
// alert rules search for, and the function that records them. `log-switch.ts` changes the log while the process runs,
// and `pretty-line.ts` formats lines for a terminal. `error-text.ts` describes an error with its causes,
// `complete-error.ts` is for errors that need none, and `error-code.ts` reads the code of one. A line has the fields
// that a caller chose, never a request.

import { fstatSync, write, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type LevelWithSilent, type Logger, pino } from 'pino'
import { calmLine, prettyLine } from './pretty-line.ts'

export type { Logger }

/** Levels for LOG_LEVEL, most verbose last. */
export const logLevels = [
  'fatal',
  'error',
  'warn',
  'info',
  'debug',
  'trace',
  'silent',
] as const satisfies readonly LevelWithSilent[]

/** Formats for LOG_FORMAT. */
export const logFormats = ['pretty', 'json'] as const

export interface LogOptions {
  /**
   * Lines for people, or one JSON object each; `calm` is for a terminal, with only the lines that a person at it needs.
   * (Default: `json`)
   */
  readonly format?: (typeof logFormats)[number] | 'calm'
  /** Whether several processes write to one standard error. (Default: false) */
  readonly sharesOutput?: boolean
}

/**
 * Creates the log of a process on standard error; standard output is for the
 * ready line and the results of commands. Callers pass chosen fields, never a
 * request or its headers.
 *
 * Calls take precedence over the log. When a full disk or a stalled reader does
 * not accept lines, they are dropped. Their number is logged once lines are
 * accepted again.
 *
 * Processes that share one standard error must set `sharesOutput`, so that
 * lines of different processes never mix.
 */
export function createLog(
  level: LevelWithSilent,
  { format = 'json', sharesOutput = false }: LogOptions = {},
): Logger {
  charactersAtOnce = sharesOutput ? atomicCharacters : waitingMax
  const stream: LineStream =
    format === 'json'
      ? { write: writeLine, writeLater: (line: string) => writeLine(line, true) }
      : { write: format === 'calm' ? writeCalmly : (line: string) => writeLine(prettyLine(line)) }
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  )
}

/** Where a logger writes its lines. */
interface LineStream {
  write(line: string): void
  /** For frequent lines that are not urgent. (Default: `write`) */
  writeLater?(line: string): void
}

/** Writes complete lines at any log level, in order with the lines of the log. */
export function lineWriter(log: Logger): (line: string) => void {
  // Parse boundary: what `createLog` or a test gave to pino.
  const stream = Reflect.get(log, pino.symbols.streamSym) as LineStream
  return (line) => {
    if (stream.writeLater === undefined) stream.write(line)
    else stream.writeLater(line)
  }
}

/** Resolves when no line waits to be written to standard error, after `atMostMs` at the latest. */
export async function logWritten(atMostMs: number): Promise<void> {
  const until = performance.now() + atMostMs
  while (standardError?.hasUnwritten() === true && performance.now() < until) await delay(5)
}

/** Maximum number of characters waiting for a slow reader. */
const waitingMax = 1_048_576

/**
 * A pipe accepts 4,096 bytes at once or not at all (POSIX, PIPE_BUF of Linux);
 * few characters of a line have more than one byte.
 */
const atomicCharacters = 3_500

/** Waiting characters above which a write starts at once, and the milliseconds that fewer wait for more. */
const writeAt = 32_768
const laterMs = 50

/** Maximum characters of whole lines in one write; a longer line is written alone. */
let charactersAtOnce = waitingMax

let standardError: LossyOutput | undefined

/** A process has one standard error, so all its logs share one queue. */
function writeLine(line: string, canWait = false): void {
  standardError ??= openStandardError()
  standardError.write(line, canWait)
}

function writeCalmly(line: string): void {
  const shown = calmLine(line)
  if (shown !== undefined) writeLine(shown)
}

/** The output of the log. No method throws. */
interface Channel {
  /** Writes without blocking the caller; `isWritten` is false if the write failed, even in part. */
  readonly write: (text: string, done: (isWritten: boolean) => void) => void
  /** Writes as much as possible synchronously. */
  readonly writeNow: (text: string) => void
}

function openStandardError(): LossyOutput {
  const kind = fstatSync(2)
  const channel = kind.isFIFO() || kind.isSocket() ? pipeChannel() : fileChannel()
  const output = createLossyOutput(channel)
  process.on('exit', () => output.writeNow())
  return output
}

/** Waits on the event loop: a pipe may stall forever, and a thread writing to it would keep the process from ending. */
function pipeChannel(): Channel {
  process.stderr.on('error', () => undefined)
  return {
    write: (text, done) => void process.stderr.write(text, (error) => done(!error)),
    writeNow: (text) => void process.stderr.write(text),
  }
}

/** A thread writes to files, devices and terminals. */
function fileChannel(): Channel {
  function writeRest(bytes: Buffer, done: (isWritten: boolean) => void): void {
    write(2, bytes, (error, count) => {
      if (error !== null) done(false)
      else if (count < bytes.length) writeRest(bytes.subarray(count), done)
      else done(true)
    })
  }
  return {
    write: (text, done) => writeRest(Buffer.from(text), done),
    writeNow(text) {
      try {
        writeSync(2, text)
      } catch {
        // The process is ending and has no other output for this error.
      }
    },
  }
}

interface LossyOutput {
  /** @param canWait whether the line may wait briefly, so that one write takes more lines */
  readonly write: (line: string, canWait: boolean) => void
  readonly writeNow: () => void
  /** Whether a line waits or is being written. */
  readonly hasUnwritten: () => boolean
}

/** Queues lines during a write, and drops them when too many wait or a write fails. */
function createLossyOutput(channel: Channel): LossyOutput {
  let waiting: string[] = []
  let length = 0
  let lost = 0
  let isWriting = false
  let isUrgent = false
  let later: NodeJS.Timeout | undefined

  function take(charactersMax: number): string[] {
    let count = 0
    let taken = 0
    for (const line of waiting) {
      if (count > 0 && taken + line.length > charactersMax) break
      count += 1
      taken += line.length
    }
    length -= taken
    if (count < waiting.length) return waiting.splice(0, count)
    const lines = waiting
    waiting = []
    return lines
  }

  function writeWaiting(): void {
    const lines = take(charactersAtOnce)
    const reported = lost
    isWriting = true
    isUrgent = false
    clearTimeout(later)
    later = undefined
    channel.write(lossLine(reported) + lines.join(''), (isWritten) => {
      isWriting = false
      lost += isWritten ? -reported : lines.length
      if (waiting.length > 0) writeSoon()
    })
  }

  function writeSoon(): void {
    if (isWriting) return
    if (isUrgent || length >= writeAt) writeWaiting()
    else later ??= setTimeout(writeWaiting, laterMs).unref()
  }

  return {
    write(line, canWait) {
      if (length + line.length > waitingMax) {
        lost += 1
        return
      }
      waiting.push(line)
      length += line.length
      if (!canWait) isUrgent = true
      writeSoon()
    },
    writeNow() {
      if (waiting.length > 0) channel.writeNow(take(waitingMax).join(''))
    },
    hasUnwritten: () => isWriting || waiting.length > 0,
  }
}

/** Starts with a line break, because the failed write may have left a partial line. */
function lossLine(lines: number): string {
  if (lines === 0) return ''
  const fields = { level: 'warn', time: new Date().toISOString(), pid: process.pid, lines }
  return `\n${JSON.stringify({ ...fields, msg: 'log lines were lost' })}\n`
}
