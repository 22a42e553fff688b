import { existsSync, renameSync, rmSync } from 'node:fs'
import { chmod, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'

/** What {@link startEmbeddedDatabase} hands to its thread. */
export interface EmbeddedDatabaseWorkerData {
  readonly dataDir: string
  readonly socketPath: string
}

/** All processes on the folder together; they take turns on the one session anyway. */
const connectionsMax = 100
const drainMs = 5_000

// The one place that makes this data is start() in embedded-database.ts.
const { dataDir, socketPath } = workerData as EmbeddedDatabaseWorkerData

let isClosing = false
const postgres = await PGlite.create({ dataDir: await databaseFolder() })
const server = new PGLiteSocketServer({
  db: keepExchangesWhole(postgres),
  path: socketPath,
  maxConnections: connectionsMax,
})
await server.start()
await chmod(socketPath, 0o600)

parentPort?.once('message', () => void close())

async function close(): Promise<never> {
  await drain()
  isClosing = true
  await server.stop()
  await postgres.close()
  process.exit(0)
}
parentPort?.postMessage('ready')

/**
 * Without its name the socket gets no new connections; those there are (a
 * command beside us) may finish what they do.
 */
async function drain(): Promise<void> {
  await unlink(socketPath).catch(() => undefined)
  const deadline = performance.now() + drainMs
  do {
    await delay(10)
  } while (server.getStats().activeConnections > 0 && performance.now() < deadline)
}

/** The cluster's folder. A first start that was interrupted left only `database.new`, which begins anew. */
async function databaseFolder(): Promise<string> {
  const folder = join(dataDir, 'database')
  if (!existsSync(folder)) {
    const unfinished = `${folder}.new`
    rmSync(unfinished, { recursive: true, force: true })
    const fresh = await PGlite.create({ dataDir: unfinished })
    await fresh.close()
    renameSync(unfinished, folder)
  }
  return folder
}

/**
 * Many connections share one session. The server keeps a connection's turn
 * while a transaction is open, but hands it on between the messages of one
 * extended query: Parse of one connection could be bound with the values of
 * another whose message arrives in pieces. So an exchange counts as a
 * transaction until its Sync (PostgreSQL documentation, 54.2.3).
 */
function keepExchangesWhole(database: PGlite): PGlite {
  let isMidExchange = false
  return new Proxy(database, {
    get(target, property) {
      if (property === 'isInTransaction') return () => isMidExchange || target.isInTransaction()
      if (property === 'execProtocolRawStream') {
        return async (...[message, options]: Parameters<PGlite['execProtocolRawStream']>) => {
          const type = message[0] ?? 0
          // PGlite never comes back from a message of another type; whoever sent it waits in vain.
          if (!knownMessages.has(type)) return
          isMidExchange = extendedQueryMessages.has(type)
          try {
            await target.execProtocolRawStream(message, options)
          } catch (error) {
            failWith(error)
            throw error
          }
        }
      }
      if (property === 'exec') {
        // Called to roll back what a connection that went away had open.
        return async (...[query, options]: Parameters<PGlite['exec']>) => {
          if (isMidExchange) {
            isMidExchange = false
            await target.execProtocolRaw(syncMessage)
          }
          return target.exec(query, options)
        }
      }
      const value: unknown = Reflect.get(target, property, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/**
 * A statement that fails is an answer; when PGlite itself throws (it ran out
 * of memory, or somebody sent a start message it cannot take) its session is
 * gone and the server's queue stands still for good. Then this thread ends
 * and is started again, as PostgreSQL restarts after the crash of a backend.
 */
function failWith(error: unknown): void {
  if (isClosing) return
  setImmediate(() => {
    throw error
  })
}

/** Parse, Bind, Describe, Execute, Close, Flush: more is to come. Sync and everything else end an exchange. */
const extendedQueryMessages = new Set(Buffer.from('PBDECH'))
/** These, Sync, Query, Terminate, the messages of COPY, and the start message (0). */
const knownMessages = new Set([...extendedQueryMessages, ...Buffer.from('SQXdcf\0')])
const syncMessage = Uint8Array.from([0x53, 0, 0, 0, 4])
