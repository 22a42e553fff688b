import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** What one line of the journal says: the whole state of a bucket, so that the last line of a bucket is enough. */
export interface CountedBucket {
  readonly bucket: string
  readonly windowSeconds: number
  window: number
  /** Raised by every reset. */
  epoch: number
  count: number
}

/** An append-only file of counts. Every method is synchronous and throws what the file system says. */
export interface Journal {
  /** The states read when it was opened, one for each bucket. */
  readonly found: readonly CountedBucket[]
  /** Lines of it that made no sense: a torn last one is normal after a crash, others are not. */
  readonly linesSkipped: number
  /** Appends the states in one write. */
  append(states: Iterable<CountedBucket>): void
  /** Replaces the file by these states, atomically. */
  rewrite(states: Iterable<CountedBucket>): void
  /** Bytes appended since it was opened or rewritten. */
  appendedBytes(): number
  close(): void
}

/**
 * Opens the journal at `path`; a missing file or folder is made. What `append` has returned from survives SIGKILL of this
 * process, because the kernel already has it; fsync is never called, so a power
 * loss may cost the last seconds.
 *
 * One line is `<bucket> <windowSeconds> <window> <epoch> <count>;`. The
 * semicolon tells a whole line from a torn one: `97;` cut short is `9`.
 *
 * It has no lock of its own. Two processes that count in one journal would each
 * admit the whole limit, so its opener must own the folder it is in: `path` is
 * in a data folder this process has locked (`openDataFolder`), which refuses a
 * second opener by a socket that answers exactly while the first one lives.
 */
export function openJournal({ path }: { path: string }): Journal {
  mkdirSync(dirname(path), { recursive: true })
  const { found, linesSkipped, isWhole } = read(path)
  let file = openSync(path, 'a', 0o600)
  let appended = 0
  // A write that ended half-way leaves a torn line; the next one must not continue it.
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

function linesOf(states: Iterable<CountedBucket>): string {
  let text = ''
  for (const { bucket, windowSeconds, window, epoch, count } of states) {
    text += `${bucket} ${windowSeconds} ${window} ${epoch} ${count};\n`
  }
  return text
}

const line = /^(\S+) (\d{1,15}) (\d{1,15}) (\d{1,15}) (\d{1,15});$/

interface JournalContent {
  readonly found: CountedBucket[]
  readonly linesSkipped: number
  /** Whether its last line has ended. */
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
    const [, bucket, windowSeconds, window, epoch, count] = line.exec(text) ?? []
    if (bucket !== undefined) {
      found.set(bucket, {
        bucket,
        windowSeconds: Number(windowSeconds),
        window: Number(window),
        epoch: Number(epoch),
        count: Number(count),
      })
    } else if (text !== '') linesSkipped += 1
  }
  const isWhole = content === '' || content.endsWith('\n')
  return { found: [...found.values()], linesSkipped, isWhole }
}
