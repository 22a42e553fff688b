import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { WindowLength } from '../../../catalogue/catalogue.ts'
import { readWindowLength } from '../../../catalogue/window-length.ts'
import { endOfTime, windowEnd } from '../window.ts'

/** One line of the journal: the whole state of a bucket, so its last line is enough. */
export interface CountedBucket {
  readonly bucket: string
  readonly windowLength: WindowLength
  window: number
  /** Raised by every reset. */
  epoch: number
  count: number
}

/** An append-only file of counts. Every method is synchronous and throws file system errors. */
export interface Journal {
  /** The states at opening, one per bucket. */
  readonly found: readonly CountedBucket[]
  /** Malformed lines at opening. A torn last line is normal after a crash; others are not. */
  readonly linesSkipped: number
  /** Appends the states in one write. */
  append(states: Iterable<CountedBucket>): void
  /** Replaces the file by these states, atomically. */
  rewrite(states: Iterable<CountedBucket>): void
  /** Bytes appended since the file was opened or rewritten. */
  appendedBytes(): number
  close(): void
}

/**
 * Opens the journal at `path` and creates a missing file or folder. Data
 * survives SIGKILL of this process once `append` has returned, because the
 * kernel has it. There is no fsync, so a power loss may cost the last seconds.
 *
 * One line is `<bucket> <window length> <window> <epoch> <count>;`. The
 * semicolon distinguishes a whole line from a torn one: `97;` cut short is `9`.
 *
 * The journal has no lock. Two processes on one journal would each admit the
 * whole limit, so `path` must be in a data folder this process has locked
 * (`openDataFolder`). That lock includes a socket, which rejects a second
 * process exactly while the first one lives.
 */
export function openJournal({ path }: { path: string }): Journal {
  mkdirSync(dirname(path), { recursive: true })
  const { file: opened, content } = openAndRead(path)
  const { found, linesSkipped, isWhole } = content
  let file = opened
  let appended = 0
  // An interrupted write leaves a torn line; the next line must not continue it.
  let isTorn = !isWhole

  function write(to: number, text: string): void {
    const bytes = Buffer.from(text)
    let written = 0
    while (written < bytes.length) written += writeSync(to, bytes, written)
  }

  return {
    found,
    linesSkipped,
    append(states) {
      const text = (isTorn ? '\n' : '') + linesOf(states)
      isTorn = true
      write(file, text)
      isTorn = false
      appended += text.length
    },
    rewrite(states) {
      const next = `${path}.next`
      const nextFile = openSync(next, 'w', 0o600)
      try {
        write(nextFile, linesOf(states))
        renameSync(next, path)
      } catch (error) {
        closeSync(nextFile)
        throw error
      }
      closeSync(file)
      file = nextFile
      appended = 0
      isTorn = false
    },
    appendedBytes: () => appended,
    close: () => closeSync(file),
  }
}

/** The counts in a journal, which a process may be writing; none without a file. */
export function readJournal(path: string): readonly CountedBucket[] {
  return read(path).found
}

/** Raises counts in a journal that no process has open to at least these. */
export function raiseJournal(path: string, counts: readonly CountedBucket[]): void {
  const journal = openJournal({ path })
  const known = new Map(journal.found.map((state) => [state.bucket, state]))
  try {
    journal.append(counts.filter((count) => isAhead(count, known.get(count.bucket))))
  } finally {
    journal.close()
  }
}

function isAhead(count: CountedBucket, known: CountedBucket | undefined): boolean {
  if (known === undefined || count.window > known.window) return true
  if (count.window < known.window || count.epoch < known.epoch) return false
  return count.epoch > known.epoch || count.count > known.count
}

function openAndRead(path: string): { readonly file: number; readonly content: JournalContent } {
  try {
    return { content: read(path), file: openSync(path, 'a', 0o600) }
  } catch (cause) {
    throw new Error(
      `the journal of the counters ${path} must be a file that this process may read and write`,
      { cause },
    )
  }
}

function linesOf(states: Iterable<CountedBucket>): string {
  let text = ''
  for (const { bucket, windowLength, window, epoch, count } of states) {
    text += `${bucket} ${windowLength} ${window} ${epoch} ${count};\n`
  }
  return text
}

const line = /^(\S+) (\S+) (\d{1,15}) (\d{1,15}) (\d{1,15});$/

interface JournalContent {
  readonly found: CountedBucket[]
  readonly linesSkipped: number
  /** Whether the last line is complete. */
  readonly isWhole: boolean
}

function read(path: string): JournalContent {
  let content: string
  try {
    content = readFileSync(path, 'utf8')
  } catch (error) {
    // Parse boundary: Node's file errors carry a code.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return { found: [], linesSkipped: 0, isWhole: true }
  }
  const found = new Map<string, CountedBucket>()
  let linesSkipped = 0
  for (const text of content.split('\n')) {
    const [, bucket, length = '', window, epoch, count] = line.exec(text) ?? []
    const windowLength = readWindowLength(length)
    const isSound =
      windowLength !== undefined && windowEnd(Number(window), windowLength) < endOfTime
    if (bucket !== undefined && isSound) {
      found.set(bucket, {
        bucket,
        windowLength,
        window: Number(window),
        epoch: Number(epoch),
        count: Number(count),
      })
    } else if (text !== '') linesSkipped += 1
  }
  const isWhole = content === '' || content.endsWith('\n')
  return { found: [...found.values()], linesSkipped, isWhole }
}
