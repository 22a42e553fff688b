// The backend of the benchmarks: answers everything with 1 KB of JSON.
import { createServer } from 'node:http'

const body = Buffer.from(JSON.stringify({ accounts: 'x'.repeat(1000) }))
const server = createServer((request, response) => {
  request.resume()
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-request-id': '5b2c0a51-7f0a-4b1e-9a63-6a0f3a8c1d11',
  })
  response.end(body)
})
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  process.stdout.write(`ready http://127.0.0.1:${address.port}\n`)
})
