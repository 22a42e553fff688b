import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Another process counts in this journal. Two of them would each admit the
 * whole limit.
 */
export class JournalInUseError extends Error {
  readonly code = 'JOURNAL_IN_USE'

  constructor(path: string, pid: number) {
    super(
      `${path}: process ${pid} already counts in this journal. Stop it, or set REDIS_URL so that several processes can share their counters`,
    )
    this.name = 'JournalInUseError'
  }
}

/**
 * Takes the journal at `path` for this process, by a file `<path>.lock` that
 * names its owner. A lock left by a process that no longer lives is taken over.
 * The data folder has a lock of its own (`tollgate.pid`); this one is the
 * second line, for whoever opens the counters alone.
 *
 * @returns what gives the lock back
 * @throws {JournalInUseError} when its owner lives
 */
export function lockJournal(path: string): () => void {
  const lock = `${path}.lock`
  const mine = `${lock}.${process.pid}`
  writeFileSync(mine, `${process.pid} ${startOf(process.pid) ?? ''}\n`, { mode: 0o600 })
  try {
    for (;;) {
      // A link appears with its content or not at all: nobody ever reads an empty lock.
      if (isLinked(mine, lock)) return () => rmSync(lock, { force: true })
      const owner = ownerOf(lock)
      if (owner !== undefined) throw new JournalInUseError(path, owner)
      rmSync(lock, { force: true })
    }
  } finally {
    rmSync(mine, { force: true })
  }
}

function isLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    // Parse boundary: Node's file errors carry a code.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** The living process a lock names; undefined when it is gone or the lock says nothing. */
function ownerOf(lock: string): number | undefined {
  let text: string
  try {
    text = readFileSync(lock, 'utf8')
  } catch {
    return undefined // given back between our two looks
  }
  const [, digits, started] = /^(\d+) (\d*)\n$/.exec(text) ?? []
  if (digits === undefined) return undefined
  const pid = Number(digits)
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it lives, under another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined
  }
  // Numbers of processes are used again, after a reboot of a container above all: then its start differs.
  const start = startOf(pid)
  return start === undefined || started === '' || start === started ? pid : undefined
}

/** When a process started, in clock ticks since boot (proc(5), `stat` field 22); undefined where there is no /proc. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in field 2 may hold spaces and parentheses; the fields after the last one do not.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
