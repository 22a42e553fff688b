import { chmod, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { startParams } from './embedded-database-settings.ts'

/** The start data of the embedded database's thread, from {@link startEmbeddedDatabase}. */
export interface EmbeddedDatabaseWorkerData {
  readonly dataDir: string
  readonly socketPath: string
}

/** For all processes on the folder together; they take turns on one session anyway. */
const connectionsMax = 100
const drainMs = 5_000

// Parse boundary: only start() in embedded-database.ts creates this data.
const { dataDir, socketPath } = workerData as EmbeddedDatabaseWorkerData

let isClosing = false
const postgres = await PGlite.create({ dataDir: join(dataDir, 'database'), startParams })
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
 * Removes the socket's name, so it gets no new connections. Existing ones (a
 * command in another process) may finish.
 */
async function drain(): Promise<void> {
  await unlink(socketPath).catch(() => undefined)
  const deadline = performance.now() + drainMs
  do {
    await delay(10)
  } while (server.getStats().activeConnections > 0 && performance.now() < deadline)
}

/**
 * Many connections share one session. The server reserves the session for a
 * connection while a transaction is open, but may switch between the messages
 * of one extended query. Then Parse of one connection could get the values of
 * another whose message arrives in parts. So an exchange counts as a
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
          // PGlite never returns from a message of another type, so its sender would wait forever.
          if (!knownMessages.has(type)) return
          isMidExchange = extendedQueryMessages.has(type)
          const wasOpen = target.isInTransaction()
          try {
            await target.execProtocolRawStream(message, options)
          } catch (error) {
            failWith(error)
            throw error
          }
          // All that other processes wait for is written in transactions.
          if (wasOpen && !target.isInTransaction()) parentPort?.postMessage('transaction')
        }
      }
      if (property === 'exec') {
        // Called to roll back the open transaction of a connection that has closed.
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
 * A failed statement is an ordinary reply. When PGlite itself throws (out of
 * memory, or a malformed startup message), its session is lost and the server's
 * queue is stuck for good. Then this thread ends and is started again, as
 * PostgreSQL restarts after the crash of a backend.
 */
function failWith(error: unknown): void {
  if (isClosing) return
  setImmediate(() => {
    throw error
  })
}

/** Parse, Bind, Describe, Execute, Close, Flush: more messages follow. Sync and all others end an exchange. */
const extendedQueryMessages = new Set(Buffer.from('PBDECH'))
/** The messages above, Sync, Query, Terminate, the messages of COPY, and the startup message (0). */
const knownMessages = new Set([...extendedQueryMessages, ...Buffer.from('SQXdcf\0')])
const syncMessage = Uint8Array.from([0x53, 0, 0, 0, 4])
