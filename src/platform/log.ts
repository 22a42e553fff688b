import { fstatSync, write, writeSync } from 'node:fs'
import { type LevelWithSilent, type Logger, pino } from 'pino'

export type { Logger }

/** Levels LOG_LEVEL may name, loudest last. */
export const logLevels = [
  'fatal',
  'error',
  'warn',
  'info',
  'debug',
  'trace',
  'silent',
] as const satisfies readonly LevelWithSilent[]

/**
 * Creates the one log of a process: JSON lines on standard error, because
 * standard output belongs to the ready line and to the results of commands.
 * Whoever logs hands in chosen fields, never a request or its headers.
 *
 * Calls come before the log: lines that a full disk or a reader that stands
 * still does not take are dropped, and their number is logged when it takes
 * lines again.
 *
 * Processes that share one standard error say so: then no line of one is
 * written into the middle of another's.
 */
export function createLog(level: LevelWithSilent, { sharesOutput = false } = {}): Logger {
  charactersAtOnce = sharesOutput ? atomicCharacters : waitingMax
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: writeLine },
  )
}

/** Characters of lines that wait for whoever reads them. */
const waitingMax = 1_048_576

/** A pipe takes 4,096 bytes whole or not at all (POSIX, PIPE_BUF of Linux); a line has few characters of more than one byte. */
const atomicCharacters = 3_500

/** Of whole lines written in one go; a longer line goes alone. */
let charactersAtOnce = waitingMax

let standardError: LossyOutput | undefined

/** There is one standard error in a process, so its logs share one queue. */
function writeLine(line: string): void {
  standardError ??= openStandardError()
  standardError.write(line)
}

/** What lines are written to. Neither way throws. */
interface Channel {
  /** Writes without making the caller wait; `isWritten` is false when it failed, whole or in part. */
  readonly write: (text: string, done: (isWritten: boolean) => void) => void
  /** Writes what can be written at once. */
  readonly writeNow: (text: string) => void
}

function openStandardError(): LossyOutput {
  const kind = fstatSync(2)
  const channel = kind.isFIFO() || kind.isSocket() ? pipeChannel() : fileChannel()
  const output = createLossyOutput(channel)
  process.on('exit', () => output.writeNow())
  return output
}

/** A pipe may stand still for ever, and a thread that writes to it would keep the process from ending: here the event loop waits. */
function pipeChannel(): Channel {
  process.stderr.on('error', () => undefined)
  return {
    write: (text, done) => void process.stderr.write(text, (error) => done(!error)),
    writeNow: (text) => void process.stderr.write(text),
  }
}

/** Files, devices and terminals are written by a thread. */
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
        // The process ends; there is nobody left to tell.
      }
    },
  }
}

interface LossyOutput {
  readonly write: (line: string) => void
  readonly writeNow: () => void
}

/** Queues lines while one write is under way, and drops them when too many wait or a write fails. */
function createLossyOutput(channel: Channel): LossyOutput {
  let waiting: string[] = []
  let length = 0
  let lost = 0
  let isWriting = false

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
    channel.write(lossLine(reported) + lines.join(''), (isWritten) => {
      isWriting = false
      lost += isWritten ? -reported : lines.length
      if (waiting.length > 0) writeWaiting()
    })
  }

  return {
    write(line) {
      if (length + line.length > waitingMax) {
        lost += 1
        return
      }
      waiting.push(line)
      length += line.length
      if (!isWriting) writeWaiting()
    },
    writeNow() {
      if (waiting.length > 0) channel.writeNow(take(waitingMax).join(''))
    },
  }
}

/** Begins with an end of line: the write that failed may have left half a line behind. */
function lossLine(lines: number): string {
  if (lines === 0) return ''
  const fields = { level: 'warn', time: new Date().toISOString(), pid: process.pid, lines }
  return `\n${JSON.stringify({ ...fields, msg: 'log lines were lost' })}\n`
}
