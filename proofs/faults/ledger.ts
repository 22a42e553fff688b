import { openSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { listenOnLoopback } from '../../test/support/loopback.ts'
import { learnOperations } from '../../test/support/operation-of.ts'
import { monotonicMs } from './monotonic.ts'

// A program: the backend of every gateway, which keeps the decisive ledger. It has one port per gateway,
// so the origin of a call is certain. A line is: monotonic milliseconds, gateway, method,
// application, operation, request id. Started as `ledger.ts <file> <gateways>`; sends the ports to its parent.
const [path = '', size = '1'] = process.argv.slice(2)
const file = openSync(path, 'a')
let lines = ''

interface Identity {
  readonly sub: string
  readonly api: string
  readonly version: string
}

const operationOf = await learnOperations()

/** Tokens are reused for seconds. */
const read = new Map<string, Identity>()

function callerOf(token: string): Identity {
  let caller = read.get(token)
  if (caller === undefined) {
    // Parse boundary: the claims, unverified; a token without them shows as "undefined" in the book.
    caller = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}',
    ) as Identity
    if (read.size > 10_000) read.clear()
    read.set(token, caller)
  }
  return caller
}

function write(): void {
  if (lines !== '') writeSync(file, lines)
  lines = ''
}

async function listen(gateway: number): Promise<number> {
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    const { method = '', url = '', headers } = request
    const caller = callerOf(String(headers['gateway-identity']))
    lines += `${monotonicMs().toFixed(3)}\t${gateway}\t${method}\t${caller.sub}\t${operationOf(method, url, caller)}\t${headers['x-request-id']}\n`
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 11 })
    response.end('{"ok":true}')
  })
  return await listenOnLoopback(server)
}

process.on('disconnect', () => {
  write()
  process.exit()
})
process.send?.(await Promise.all(Array.from({ length: Number(size) }, (_, index) => listen(index))))
setInterval(write, 20)
