import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'
import { until } from '../support/until.ts'

const request = rawRequest('GET /v1.7.0/accounts HTTP/1.1', [`X-API-Key: ${testKey}`])

/** A connection that sends a request now and then; `answer` resolves to its next status line, or "" when it was closed. */
async function open(t: Test, url: string, localAddress: string) {
  const { port } = new URL(url)
  const socket: Socket = connect({ port: Number(port), host: '127.0.0.1', localAddress })
  t.teardown(() => socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return {
    socket,
    async answer(): Promise<string> {
      socket.write(request)
      const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
      return Buffer.isBuffer(chunk) ? chunk.toString('latin1').slice(0, 15) : ''
    },
  }
}

t.test(
  'an address holds no more connections than it may, and takes none from the others',
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, { backendUrl: backend.url, connectionsPerAddress: 5 })
    const five = await Promise.all([1, 2, 3, 4, 5].map(() => open(t, edge.url, '127.0.0.1')))
    for (const each of five) t.equal(await each.answer(), 'HTTP/1.1 200 OK')
    const sixth = await open(t, edge.url, '127.0.0.1')
    t.equal(await sixth.answer(), '', 'the sixth is closed without a word')
    const neighbour = await open(t, edge.url, '127.0.0.2')
    t.equal(await neighbour.answer(), 'HTTP/1.1 200 OK', 'another address is served')
    for (const each of five) t.equal(await each.answer(), 'HTTP/1.1 200 OK', 'as are the five')
    five[0]?.socket.destroy()
    await until('one that ends makes room for another', async () => {
      const next = await open(t, edge.url, '127.0.0.1')
      return (await next.answer()) !== ''
    })
  },
)

t.test('a body without end is cut off at its limit and answered 413', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  const { port } = new URL(edge.url)
  const socket = connect(Number(port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  const fields = [`X-API-Key: ${testKey}`, 'Content-Type: application/json']
  socket.write(
    rawRequest('POST /v1.7.0/consents HTTP/1.1', [...fields, 'Transfer-Encoding: chunked']),
  )
  const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`
  let chunks = 0
  for (; !socket.destroyed && chunks < 2000; chunks += 1) {
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), closed])
  }
  await closed
  t.ok(chunks < 2000, `closed after ${chunks} chunks of 16 KiB`)
  t.match(received, /^HTTP\/1\.1 413 /)
  t.match(received, '"code":"BODY_TOO_LARGE"')
  t.equal(backend.requests.length, 0, 'the backend saw no whole request')
  const after = await sendRaw(edge.url, request)
  t.equal(after.status, 200, 'others are served')
})
