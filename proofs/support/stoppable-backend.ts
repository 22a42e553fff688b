import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from '../../test/support/database.ts'
import { freePort } from '../../test/support/free-port.ts'

/** A backend that answers 200 until it is stopped; then its port refuses connections until it starts again. */
export interface StoppableBackend {
  readonly url: string
  stop(): Promise<void>
  start(): Promise<void>
  /** While true, it takes requests and says nothing. */
  isSilent: boolean
}

/** Starts it on a port that stays the same. Closed with the test. */
export async function startStoppableBackend(t: Test): Promise<StoppableBackend> {
  const port = await freePort()
  let server: Server | undefined
  const backend: StoppableBackend = {
    url: `http://127.0.0.1:${port}`,
    isSilent: false,
    async start() {
      server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
        request.resume()
        if (backend.isSilent) return
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
      })
      const listening = server
      await new Promise<void>((resolve, reject) => {
        listening.once('error', reject).listen(port, '127.0.0.1', 2_048, resolve)
      })
      if ((listening.address() as AddressInfo).port !== port) throw new Error('another port')
    },
    async stop() {
      const closing = server
      server = undefined
      if (closing === undefined) return
      closing.closeAllConnections()
      await new Promise((resolve) => closing.close(resolve))
    },
  }
  t.teardown(() => backend.stop())
  await backend.start()
  return backend
}
