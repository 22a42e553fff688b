import { randomBytes } from 'node:crypto'
import {
  access,
  chmod,
  constants,
  link,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { codeOf, ignoreMissing } from '../log/error-code.ts'

/** The folder with everything an embedded process must keep, locked by this process. */
export interface DataFolder {
  /** Absolute, with symbolic links resolved. */
  readonly path: string
  /**
   * Reads the secret stored under `name`; if missing, generates and stores it.
   * The file has mode 0600 and is flushed to the disk before this resolves:
   * with a lost pepper, keys that were already issued would not work.
   */
  secret(name: string, generate: () => string): Promise<string>
  /** Makes the addresses of this process known to other processes on this folder, until it closes or dies. */
  announce(addresses: Addresses): void
  /** Releases the lock. Close everything in the folder first. */
  close(): Promise<void>
}

/** Origins under which people reach the listeners of a process. */
export interface Addresses {
  readonly gateway?: string | undefined
  readonly portal?: string | undefined
}

/** Another process has the folder open, or may still have it open. */
export class DataFolderBusy extends Error {
  /** Undefined when the lock file does not contain it. */
  readonly pid: number | undefined

  constructor(path: string, pid: number | undefined) {
    super(
      `DATA_DIR ${path} is already open by process ${pid ?? '(unknown)'}. Stop that process, or set another DATA_DIR and other ports`,
    )
    this.name = 'DataFolderBusy'
    this.pid = pid
  }
}

/** Another user could change what the folder holds. */
export class DataFolderExposed extends Error {
  constructor(path: string, problem: string) {
    super(
      `DATA_DIR ${path} ${problem}. Set DATA_DIR to a folder of its own, for example ${join(path, 'tollgate')}, which Tollgate then creates`,
    )
    this.name = 'DataFolderExposed'
  }
}

/** The folder cannot be created or written; the cause says why. */
export class DataFolderUnusable extends Error {
  constructor(path: string, cause: unknown) {
    super(`DATA_DIR ${path} cannot be used; it must be a folder that this process may write`, {
      cause,
    })
    this.name = 'DataFolderUnusable'
  }
}

/** The folder's path is too long for a socket in it. */
export class SocketPathTooLong extends Error {
  constructor(path: string) {
    super(
      `DATA_DIR is too long a path: the socket "${path}" has ${Buffer.byteLength(path)} bytes, at most ${socketPathBytesMax} are possible (e.g. DATA_DIR=/var/lib/tollgate)`,
    )
    this.name = 'SocketPathTooLong'
  }
}

/** `DATA_DIR='…' ` in front of a command that needs the same folder; empty for the default. */
export function dataDirSetting(dataDir: string): string {
  return dataDir === resolve('data') ? '' : `DATA_DIR='${dataDir}' `
}

/** Name of the lock file. Its first line is the pid of the process to signal (`head -1`). */
export const pidFileName = 'tollgate.pid'

/** How long a living process may take to send what it announced. */
const readMs = 5_000

/** `sun_path` of Linux holds 108 bytes, the last one zero; macOS has 104. */
const socketPathBytesMax = process.platform === 'darwin' ? 103 : 107

/**
 * Returns `join(folder, name)` if that is short enough for a socket.
 *
 * @throws {SocketPathTooLong}
 */
export function socketPathIn(folder: string, name: string): string {
  const path = join(folder, name)
  if (Buffer.byteLength(path) > socketPathBytesMax) throw new SocketPathTooLong(path)
  return path
}

/**
 * Opens the data folder for this process alone and creates it with mode 0700.
 * An existing folder of this user gets the same mode, because it holds secrets.
 * A folder that another user owns or may write to is refused: that user could
 * replace the secrets.
 *
 * The lock is the file `tollgate.pid`: the pid, then the name of a socket on
 * which its owner listens while it lives. A pid alone is not enough: after a
 * crash another process may have it, and in containers every main process has
 * the same one. A socket answers exactly while its owner lives, across
 * containers that share the folder, after a reboot and after a clock change.
 *
 * @throws {DataFolderBusy} while the owner lives, this process included
 * @throws {DataFolderUnusable}
 * @throws {DataFolderExposed}
 * @throws {SocketPathTooLong}
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const path = await makeFolder(folder)
  await narrow(path)

  const socketName = `.lock-${randomBytes(4).toString('hex')}`
  let announced = ''
  const server = await listen(socketPathIn(path, socketName), (socket) => {
    // A client that only asks whether this process lives does not read.
    socket.on('error', () => undefined).end(announced)
  })
  const content = `${process.pid}\n${socketName}\n`
  try {
    await acquire(path, content)
  } catch (error) {
    await closeServer(server)
    throw error
  }

  return {
    path,
    secret: (name, generate) => keepSecret(join(path, name), generate),
    announce(addresses) {
      announced = JSON.stringify(addresses)
    },
    async close() {
      const pidFile = join(path, pidFileName)
      if ((await readIfThere(pidFile)) === content) await unlink(pidFile)
      await closeServer(server)
    },
  }
}

async function makeFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = await realpath(folder)
    await access(path, constants.W_OK)
    return path
  } catch (error) {
    throw new DataFolderUnusable(folder, error)
  }
}

/** Reads a secret of a folder that another process may have open; undefined when it does not exist. */
export async function readDataFolderSecret(
  folder: string,
  name: string,
): Promise<string | undefined> {
  return nonEmpty(await readIfThere(join(folder, name)))
}

/** What the process that has the folder open announced; empty when no process has it open. */
export async function announcedAddresses(folder: string): Promise<Addresses> {
  const socketName = parseLock(await readIfThere(join(folder, pidFileName)))?.socketName
  if (socketName === undefined) return {}
  const content = await readSocket(join(folder, socketName))
  // Parse boundary: written by announce.
  return content === '' ? {} : (JSON.parse(content) as Addresses)
}

interface Lock {
  readonly pid: number
  /** Undefined in a file from another program. */
  readonly socketName: string | undefined
}

function parseLock(content: string | undefined): Lock | undefined {
  const match = /^(\d{1,10})\n?(?:(\.lock-[0-9a-f]{8})\n)?$/.exec(content ?? '')
  if (match === null) return undefined
  return { pid: Number(match[1]), socketName: match[2] }
}

async function acquire(folder: string, content: string): Promise<void> {
  const pidFile = join(folder, pidFileName)
  const ours = `${pidFile}.${randomBytes(4).toString('hex')}`
  await writeFile(ours, content, { mode: 0o600, flag: 'wx' })
  try {
    for (;;) {
      // A link appears completely or not at all, so no process reads a partial lock.
      if (await succeedsUnlessThere(link(ours, pidFile))) return
      const found = await readIfThere(pidFile)
      if (found === undefined) continue
      const lock = parseLock(found)
      if (lock !== undefined && (await isAlive(folder, lock))) {
        throw new DataFolderBusy(folder, lock.pid)
      }
      if (await replaceStale(pidFile, ours, found)) return
    }
  } finally {
    await unlink(ours).catch(ignoreMissing)
  }
}

/**
 * Replaces a lock whose owner is dead. When several processes find the same
 * dead owner, only the one that creates the takeover file proceeds, and only
 * after it has checked again that nothing changed. The others retry.
 */
async function replaceStale(pidFile: string, ours: string, found: string): Promise<boolean> {
  const takeover = `${pidFile}.takeover`
  const created = await succeedsUnlessThere(
    open(takeover, 'wx', 0o600).then((handle) => handle.close()),
  )
  if (!created) {
    // A process that died during the few milliseconds of a takeover must not block the folder forever.
    const age = await stat(takeover).then((stats) => Date.now() - stats.mtimeMs, ignoreMissing)
    if (age !== undefined && Math.abs(age) > 5000) await unlink(takeover).catch(ignoreMissing)
    await delay(20)
    return false
  }
  try {
    if ((await readIfThere(pidFile)) !== found) return false
    await rename(ours, pidFile)
  } finally {
    await unlink(takeover).catch(ignoreMissing)
  }
  const socketName = parseLock(found)?.socketName
  if (socketName !== undefined) {
    await unlink(join(pidFile, '..', socketName)).catch(ignoreMissing)
  }
  return true
}

async function isAlive(folder: string, lock: Lock): Promise<boolean> {
  if (lock.socketName !== undefined) return answers(join(folder, lock.socketName))
  // Written by hand or by another program: only the pid is known, and in doubt its process counts as alive.
  if (lock.pid === process.pid) return false
  try {
    process.kill(lock.pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

/**
 * Whether a process listens on the socket. Only a refused connection or a
 * missing file means no; a full queue or a missing permission does not.
 */
export function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error) => {
      resolve(codeOf(error) !== 'ECONNREFUSED' && codeOf(error) !== 'ENOENT')
    })
  })
}

/** All that a socket sends until it closes; empty when no process listens, or when its process is suspended. */
async function readSocket(path: string): Promise<string> {
  try {
    return await text(connect({ path, signal: AbortSignal.timeout(readMs) }))
  } catch {
    return ''
  }
}

function listen(path: string, onConnection: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(onConnection)
    server.once('error', reject)
    server.listen(path, () => {
      server.unref()
      resolve(server)
    })
  })
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

async function narrow(path: string): Promise<void> {
  const { mode, uid } = await stat(path)
  const own = process.getuid?.() ?? uid
  if (uid === own) {
    if ((mode & 0o077) !== 0) await chmod(path, 0o700)
    return
  }
  // Root may own the mount point of a volume. Root can read everything anyway.
  const problem =
    uid !== 0
      ? `belongs to the user with id ${uid}, and this process runs as ${own}`
      : 'belongs to root, and other users may write to it'
  if (uid !== 0 || (mode & 0o022) !== 0) throw new DataFolderExposed(path, problem)
}

async function keepSecret(path: string, generate: () => string): Promise<string> {
  const kept = nonEmpty(await readIfThere(path))
  if (kept !== undefined) return kept
  const value = generate()
  const unfinished = `${path}.${randomBytes(4).toString('hex')}`
  const handle = await open(unfinished, 'wx', 0o600)
  try {
    await handle.writeFile(`${value}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(unfinished, path)
  return value
}

function nonEmpty(content: string | undefined): string | undefined {
  const value = content?.trim()
  return value === '' ? undefined : value
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(ignoreMissing)
}

async function succeedsUnlessThere(attempt: Promise<unknown>): Promise<boolean> {
  try {
    await attempt
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}
