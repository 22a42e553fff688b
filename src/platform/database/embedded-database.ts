import { unlink } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Logger } from '../log/log.ts'
import { answers, socketPathIn } from './data-folder.ts'
import { prepareDatabaseFolder, whyItDoesNotStart } from './database-folder.ts'
import type { EmbeddedDatabaseWorkerData } from './embedded-database-worker.ts'

export interface EmbeddedDatabaseOptions {
  /** A folder this process has locked ({@link openDataFolder}), because the database has no lock. */
  readonly dataDir: string
  readonly log: Pick<Logger, 'error'>
}

/** PostgreSQL inside this process, in its own thread. */
export interface EmbeddedDatabase {
  /** For {@link openDatabase}, in this and other processes. */
  readonly url: string
  /** Calls `listener` whenever a connection of this or another process has ended a transaction. */
  onTransaction(listener: () => void): void
  /**
   * Accepts no new connections, lets those of other processes end (5 s at
   * most), then stops. Close the pools of this process first.
   */
  close(): Promise<void>
}

/** The name libpq derives from port 5432, so that psql finds it: `psql -h DATA_DIR -U postgres`. */
const socketName = '.s.PGSQL.5432'

/** A thread that is stuck in a statement cannot react to a close request; all data it acknowledged is safe. */
const closeMs = 10_000

/**
 * Starts PGlite (PostgreSQL compiled to WebAssembly) on `DATA_DIR/database`,
 * reachable through the Unix socket `DATA_DIR/.s.PGSQL.5432`. Acknowledged
 * writes survive the end of the process by any signal. PGlite never calls
 * fsync, so they may not survive a power loss. In a checkout, the first start takes seconds.
 *
 * If the thread dies, it is started again; statements fail meanwhile.
 *
 * @throws {SocketPathTooLong}
 * @throws {DatabaseFolderUnusable}
 */
export async function startEmbeddedDatabase(
  options: EmbeddedDatabaseOptions,
): Promise<EmbeddedDatabase> {
  const socketPath = socketPathIn(options.dataDir, socketName)
  const listeners: (() => void)[] = []
  let isClosing = false
  let worker: Worker

  async function start(): Promise<void> {
    // A killed process leaves its socket behind. This process holds the lock, so no other process listens on it.
    await unlink(socketPath).catch(() => undefined)
    const workerData: EmbeddedDatabaseWorkerData = { dataDir: options.dataDir, socketPath }
    const started = new Worker(new URL('./embedded-database-worker.ts', import.meta.url), {
      workerData,
    })
    worker = started
    // A permanent listener: an unhandled error event would end the process.
    started.on('error', (error) => options.log.error({ err: error }, 'embedded database failed'))
    await new Promise<void>((resolve, reject) => {
      started.once('message', () => resolve())
      started.once('error', reject)
      started.once('exit', (code) => reject(new Error(`embedded database ended with ${code}`)))
    })
    // Its further messages all say that a transaction has ended.
    started.on('message', () => {
      for (const listener of listeners) listener()
    })
    started.once('exit', () => {
      if (!isClosing) void restart()
    })
  }

  async function restart(): Promise<void> {
    while (!isClosing) {
      options.log.error({}, 'embedded database ended, starting it again')
      await delay(1000, undefined, { ref: false })
      try {
        if (!isClosing) await start()
        return
      } catch (error) {
        options.log.error({ err: error }, 'embedded database does not start')
      }
    }
  }

  await prepareDatabaseFolder(options.dataDir)
  try {
    await start()
  } catch (error) {
    throw await whyItDoesNotStart(options.dataDir, error)
  }
  return {
    url: embeddedDatabaseUrl(options.dataDir),
    onTransaction: (listener) => void listeners.push(listener),
    async close() {
      isClosing = true
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
      worker.postMessage('close')
      const timer = setTimeout(() => void worker.terminate(), closeMs)
      await ended
      clearTimeout(timer)
    },
  }
}

/** The address of the embedded database that another process has open in `dataDir`; undefined when it is not open. */
export async function databaseBeside(dataDir: string): Promise<string | undefined> {
  const isThere = await answers(socketPathIn(dataDir, socketName))
  return isThere ? embeddedDatabaseUrl(dataDir) : undefined
}

function embeddedDatabaseUrl(dataDir: string): string {
  return `postgres://postgres@localhost/postgres?host=${encodeURIComponent(dataDir)}`
}
