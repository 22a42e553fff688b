import { open, readdir, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { codeOf, ignoreMissing } from '../../log/error-code.ts'

/** The name under which this process makes a file or folder until it is complete: hidden, beside it. */
export function unfinishedName(path: string): string {
  return join(dirname(path), `.${basename(path)}.unfinished-${hostname()}-${process.pid}`)
}

const unfinished = /\.unfinished-(?<host>.+)-(?<pid>\d+)$/

/** Nothing takes this long to make. */
const abandonedMs = 86_400_000

/**
 * Removes what processes that have ended left unfinished beside `path`. Of
 * those of other machines, it is unknown whether they run: theirs goes after a
 * day.
 *
 * @param begins how names begin, after the dot (default: the name of `path`)
 */
export async function removeAbandoned(path: string, begins = basename(path)): Promise<void> {
  const folder = dirname(path)
  for (const name of await readdir(folder)) {
    const { host, pid } = unfinished.exec(name)?.groups ?? {}
    if (host === undefined || !name.startsWith(`.${begins}`)) continue
    const isOver = host === hostname() ? !isAlive(Number(pid)) : await isOld(join(folder, name))
    if (isOver) await rm(join(folder, name), { recursive: true, force: true })
  }
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(ignoreMissing)
  return found !== undefined && Date.now() - found.mtimeMs > abandonedMs
}

function isAlive(pid: number): boolean {
  // A container gives the same id to each process; this one has not begun yet.
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** Returns when a file or the entries of a folder are on the disk. */
export async function flushToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
