import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { rawRequest, sendRaw } from '../support/raw-client.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const { urls } = await runTollgate(t, { env: { CONNECTIONS_PER_ADDRESS: '5' } })

async function open(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  // Only what is read shows that the other side has ended the connection.
  socket.resume()
  await once(socket, 'connect')
  return socket
}

t.test('what is no HTTP is answered as a problem too, and ends its connection', async (t) => {
  const requests = {
    FRAMING_INVALID: rawRequest('POST /api/session HTTP/1.1', [
      'Content-Length: 1',
      'Content-Length: 2',
    ]),
    HEADERS_TOO_LARGE: rawRequest('GET / HTTP/1.1', [`X-A: ${'a'.repeat(20_000)}`]),
    TARGET_TOO_LONG: rawRequest(`GET /${'a'.repeat(20_000)} HTTP/1.1`),
    NOT_IMPLEMENTED: rawRequest('EHLO /mail HTTP/1.1'),
  }
  for (const [code, bytes] of Object.entries(requests)) {
    const answer = await sendRaw(urls.portal, bytes)
    t.equal(answer.headers.get('content-type'), 'application/problem+json', code)
    t.match(JSON.parse(answer.body), { code, type: `${urls.portal}/problems/${code}` })
    t.ok(answer.isClosed)
  }
})

t.test('garbage after an answer gets no answer', async (t) => {
  const answer = await sendRaw(urls.portal, `${rawRequest('GET /api/apis HTTP/1.1')}EHLO\r\n\r\n`, {
    answers: Number.POSITIVE_INFINITY,
  })
  t.equal(answer.status, 200)
  t.equal(answer.text.split('HTTP/1.1 ').length - 1, 1)
})

t.test(
  'connections to the portal are limited per address, and take none from the gateway',
  async (t) => {
    const held = await Promise.all(Array.from({ length: 5 }, () => open(urls.portal)))
    t.teardown(() => {
      for (const socket of held) socket.destroy()
    })
    const surplus = await open(urls.portal)
    t.teardown(() => surplus.destroy())
    await until('the surplus connection is closed', () => surplus.closed)
    t.notOk(
      held.some((socket) => socket.destroyed),
      'those before it stay, though they wait longer',
    )
    t.equal((await fetch(`${urls.gateway}/nope`)).status, 404)
  },
)
