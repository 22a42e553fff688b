import { execFile } from 'node:child_process'
import { mkdtemp, open, readdir, rename, rm, rmdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CompleteError } from '../log/complete-error.ts'
import { codeOf } from '../log/error-code.ts'

/** The embedded database of a data folder is lost, damaged, or cannot be opened at the moment. */
export class DatabaseFolderUnusable extends CompleteError {
  constructor(problem: string, options?: ErrorOptions) {
    super(problem, options)
    this.name = 'DatabaseFolderUnusable'
  }
}

/** Files that only a folder with a database gets. */
const marks = ['key-pepper', 'counters.journal', 'welcomed']

/** PostgreSQL's own mark of a folder that holds a database. */
const versionFile = 'PG_VERSION'

/**
 * Creates the database of `dataDir` if the folder never had one. A process that
 * is killed meanwhile leaves only an unfinished folder, which the next start
 * removes. A folder that lost its database is refused: in a new, empty one
 * every known key would be unknown.
 *
 * @param isImport an import follows, which brings the keys; then it may be lost
 * @returns whether it created the database
 * @throws {DatabaseFolderUnusable}
 */
export async function prepareDatabaseFolder(dataDir: string, isImport = false): Promise<boolean> {
  const folder = join(dataDir, 'database')
  if (await isThere(dataDir, folder, isImport)) return false
  try {
    for (const name of await namesIn(dataDir)) {
      // Retries, because the child process of a killed start may write into its folder for another moment.
      const removal = { recursive: true, force: true, maxRetries: 10 }
      if (name.startsWith(unfinished)) await rm(join(dataDir, name), removal)
    }
    const fresh = await mkdtemp(join(dataDir, unfinished))
    await create(fresh)
    await rename(fresh, folder)
    return true
  } catch (error) {
    throw await whyItDoesNotStart(dataDir, error)
  }
}

const unfinished = 'database.new'

/**
 * Without them initdb, which runs in a checkout, takes 150 MB more. It runs for
 * two seconds, in which optimised code and rare collections gain nothing.
 */
const thrift = ['--liftoff-only', '--max-semi-space-size=1', '--max-old-space-size=64']

async function create(folder: string): Promise<void> {
  const program = fileURLToPath(new URL('./create-database.ts', import.meta.url))
  // The environment holds secrets that initdb does not need.
  await promisify(execFile)(process.execPath, [...thrift, program, folder], { env: {} })
}

/**
 * Whether the database exists; false if the folder never had one.
 *
 * @throws {DatabaseFolderUnusable} it is lost or damaged
 */
async function isThere(dataDir: string, folder: string, mayBeLost: boolean): Promise<boolean> {
  const files = await namesIn(folder)
  if (files.includes(versionFile)) return true
  if (files.length > 0) {
    throw new DatabaseFolderUnusable(
      `${folder} is damaged: ${versionFile} is missing. ${restoring(dataDir)}`,
    )
  }
  const found = (await namesIn(dataDir)).filter((name) => marks.includes(name))
  if (found.length > 0 && !mayBeLost) {
    throw new DatabaseFolderUnusable(
      `the embedded database ${folder} is missing, but DATA_DIR had one: it holds ${found.join(' and ')}. ${restoring(dataDir)} If the data is in PostgreSQL, set DATABASE_URL`,
    )
  }
  // An empty folder is not a database; the first start creates it in one step.
  await rmdir(folder).catch(() => undefined)
  return false
}

/** What an operator does about a folder that lost something. */
export function restoring(dataDir: string): string {
  return `Restore ${dataDir} from a backup, or set DATA_DIR to an empty folder to start without the old keys.`
}

/** Why a database whose folder looks complete does not start, as an error for the operator. */
export async function whyItDoesNotStart(
  dataDir: string,
  cause: unknown,
): Promise<DatabaseFolderUnusable> {
  const folder = join(dataDir, 'database')
  if (await isDiskFull(dataDir)) {
    return new DatabaseFolderUnusable(
      `the disk of DATA_DIR ${dataDir} is full. Make room: the embedded database needs 100 MB at its first start`,
      { cause },
    )
  }
  if (await lacksDescriptors(dataDir)) {
    return new DatabaseFolderUnusable(
      'this process may open too few files. Allow at least 1024 (ulimit -n 1024)',
      { cause },
    )
  }
  return new DatabaseFolderUnusable(
    `the embedded database ${folder} does not start; its files are probably damaged. ${restoring(dataDir)}`,
    { cause },
  )
}

const roomBytesMin = 1_000_000

async function isDiskFull(dataDir: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(dataDir)
  return bavail * bsize < roomBytesMin
}

/** More files than the embedded database has open at a time. */
const spareDescriptors = 100

async function lacksDescriptors(dataDir: string): Promise<boolean> {
  const attempts = await Promise.allSettled(
    Array.from({ length: spareDescriptors }, () => open(dataDir)),
  )
  const opened = attempts.flatMap((attempt) =>
    attempt.status === 'fulfilled' ? [attempt.value] : [],
  )
  await Promise.all(opened.map((handle) => handle.close()))
  return opened.length < attempts.length
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}
