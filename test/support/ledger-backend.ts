import { createServer } from 'node:http'
import type { Test } from './database.ts'
import { listenOnLoopback } from './loopback.ts'
import { learnOperations } from './operation-of.ts'

/** One request that reached the backend, with the caller that the identity beside it names. */
export interface LedgerEntry {
  readonly method: string
  /** Path and query as they were sent. */
  readonly target: string
  readonly requestId: string
  readonly applicationId: string
  /** `xs2a@1.7.0 listAccounts`. */
  readonly operation: string
}

/** A backend that only keeps a book of what reached it: what it did not see was not admitted. */
export interface Ledger {
  readonly url: string
  /** In the order of arrival, never shortened. */
  readonly entries: readonly LedgerEntry[]
}

/** Starts it on a free port; every request is answered 200 at once. Closed with the test. */
export async function startLedger(t: Test): Promise<Ledger> {
  const entries: LedgerEntry[] = []
  const operationOf = await learnOperations()
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const { method = '', url = '', headers } = request
    const identity = readIdentity(String(headers['gateway-identity']))
    entries.push({
      method,
      target: url,
      requestId: String(headers['x-request-id']),
      applicationId: identity.sub,
      operation: operationOf(method, url, identity),
    })
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
  })
  const port = await listenOnLoopback(server)
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}`, entries }
}

interface Identity {
  readonly sub: string
  readonly api: string
  readonly version: string
}

/** The claims, unverified: the book-keeper is asked about numbers, not about signatures. */
function readIdentity(jws: string): Identity {
  // Parse boundary; a token without these claims shows as "undefined" in the book.
  return JSON.parse(
    Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString() || '{}',
  ) as Identity
}
