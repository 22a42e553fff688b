import { createServer, ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { keepAliveMs, WrittenResponse } from '../../src/gateway/edge/answer/written-response.ts'
import { createAnswerParser } from '../../src/gateway/upstream/answer-parser.ts'
import { startEdge, testKey } from '../support/edge.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'

const fields = [
  ...['Date', 'Sun, 06 Nov 1994 08:49:37 GMT', 'Content-Type', 'text/plain', 'Content-Length', '5'],
  ...['Set-Cookie', 'a=b', 'set-cookie', 'c=\xe9', 'X-Empty', ''],
]

/** What a server sends to these octets until it is silent or the connection ends, and whether it has ended. */
async function sent(
  t: Test,
  kind: typeof WrittenResponse | typeof ServerResponse,
  { octets, status }: { octets: string; status: number },
): Promise<string> {
  const server = createServer({ ServerResponse: kind, keepAliveTimeout: keepAliveMs })
  server.on('request', (request, response) => {
    request.resume()
    if (request.url === '/close') response.shouldKeepAlive = false
    if (response instanceof WrittenResponse) {
      const names = fields.filter((_, at) => at % 2 === 0)
      const text = names.map((name, at) => `${name}: ${fields[2 * at + 1]}\r\n`).join('')
      response.writeWritten(status, fields, text)
    } else response.writeHead(status, fields)
    response.end('hello', 'latin1')
  })
  const socket = connect(await listenOnLoopback(server), '127.0.0.1')
  t.teardown(() => {
    socket.destroy()
    server.close()
  })
  let received = ''
  socket.setEncoding('latin1').on('data', (piece: string) => (received += piece))
  socket.write(octets, 'latin1')
  const end = await new Promise<string>((resolve) => {
    socket.on('end', () => resolve('[ended]'))
    const count = octets.split('\r\n\r\n').length - 1
    const look = setInterval(() => {
      if (received.split('HTTP/1.1 ').length - 1 < count) return
      // The end follows in the same turn of the server, if it does.
      setTimeout(() => resolve('[kept]'), 50)
      clearInterval(look)
    }, 5)
  })
  return received + end
}

const host = 'Host: a\r\n\r\n'
const cases = {
  'kept alive': { octets: `GET / HTTP/1.1\r\n${host}`, status: 200 },
  'two on a connection': {
    octets: `GET / HTTP/1.1\r\n${host}GET / HTTP/1.1\r\n${host}`,
    status: 201,
  },
  'a refusal of the backend': { octets: `GET / HTTP/1.1\r\n${host}`, status: 404 },
  'a status without a name': { octets: `GET / HTTP/1.1\r\n${host}`, status: 299 },
  'close, asked for by the client': {
    octets: `GET / HTTP/1.1\r\nConnection: close\r\n${host}`,
    status: 200,
  },
  'close, decided by us': { octets: `GET /close HTTP/1.1\r\n${host}`, status: 200 },
  'no body: 204': { octets: `DELETE / HTTP/1.1\r\n${host}`, status: 204 },
  'no body: 304': { octets: `GET / HTTP/1.1\r\n${host}`, status: 304 },
  'no body: HEAD': { octets: `HEAD / HTTP/1.1\r\n${host}`, status: 200 },
  'HTTP/1.0': { octets: `GET / HTTP/1.0\r\n${host}`, status: 200 },
  'HTTP/1.0, kept alive': {
    octets: `GET / HTTP/1.0\r\nConnection: keep-alive\r\n${host}`,
    status: 200,
  },
}

for (const [name, asked] of Object.entries(cases)) {
  t.test(`a block that is written down is what Node would have sent: ${name}`, async (t) => {
    const [ours, nodes] = [
      await sent(t, WrittenResponse, asked),
      await sent(t, ServerResponse, asked),
    ]
    t.equal(ours, nodes)
    t.match(ours, /^HTTP\/1\.1 /)
  })
}

/** What the gateway makes of an answer of the backend with these fields, for a client that keeps its connection and one that does not. */
async function passedOn(t: Test, lines: readonly string[]) {
  const backend = await startRawBackend(t)
  const text = `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\nContent-Type: text/plain\r\n\r\nok`
  backend.answer = (_request, socket) => socket.write(text, 'latin1')
  const { url } = await startEdge(t, { backendUrl: backend.url })
  const ask = (connection: string) =>
    sendRaw(
      url,
      rawRequest('GET /v1.7.0/accounts HTTP/1.1', [
        `X-API-Key: ${testKey}`,
        `Connection: ${connection}`,
      ]),
      50,
    )
  return [await ask('keep-alive'), await ask('close')]
}

const date = 'Date: Sun, 06 Nov 1994 08:49:37 GMT'
const length = 'Content-Length: 2'

t.test('every answer has a date, also where the backend’s is one of its connection', async (t) => {
  for (const answer of await passedOn(t, [date, length, 'Connection: Date'])) {
    t.equal(answer.status, 200)
    t.match(answer.headers.get('date'), / GMT$/)
    t.not(answer.headers.get('date'), date.slice('Date: '.length))
  }
})

t.test('the name of a file is passed on octet by octet, on every connection', async (t) => {
  const name = `attachment; filename="${Buffer.from('účet č. 1.pdf').toString('latin1')}"`
  for (const answer of await passedOn(t, [date, length, `Content-Disposition: ${name}`])) {
    t.equal(answer.status, 200)
    t.equal(answer.headers.get('content-disposition'), name)
    t.equal(answer.headers.get('content-length'), '2')
    t.equal(answer.body, 'ok')
  }
})

t.test('a connection is kept for as long, whoever writes the block', async (t) => {
  const [ours] = await passedOn(t, [date, length])
  const [nodes] = await passedOn(t, [length])
  t.match(ours?.headers.get('keep-alive'), /^timeout=/)
  t.equal(ours?.headers.get('keep-alive'), nodes?.headers.get('keep-alive'))
})

t.test('the parser of answers lets no octet pass that Node would not write', async (t) => {
  const passed = { names: 0, values: 0 }
  for (let octet = 0; octet < 256; octet += 1) {
    const odd = String.fromCharCode(octet)
    for (const [kind, field] of [
      ['names', `X${odd}A: b`],
      ['values', `X-A: a${odd}b`],
    ] as const) {
      const block = parsed(field)
      if (block === undefined) continue
      const [name = '', value = ''] = block
      t.doesNotThrow(() => validateHeaderName(name), `octet ${octet} in a name`)
      t.doesNotThrow(() => validateHeaderValue(name, value), `octet ${octet} in a value`)
      passed[kind] += 1
    }
  }
  // RFC 9110, 5.6.2: the characters of a token, and the colon that ends a name; 5.5: a tab, blank, visible and obs-text.
  t.same(passed, { names: 77 + 1, values: 1 + 95 + 128 })
})

/** The header block of an answer with this field, as the parser of answers reads it; undefined when it refuses. */
function parsed(field: string): readonly string[] | undefined {
  const block: string[] = []
  const parser = createAnswerParser({
    onHead: (_status, fields) => void block.push(...fields),
    onBody: () => undefined,
  })
  parser.expect()
  const octets = `HTTP/1.1 200 OK\r\n${field}\r\nContent-Length: 0\r\n\r\n`
  try {
    parser.read(Buffer.from(octets, 'latin1'))
    return block
  } catch {
    return undefined
  } finally {
    parser.free()
  }
}
