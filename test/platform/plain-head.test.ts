import { createServer } from 'node:http'
import { connect } from 'node:net'
import t from 'tap'
import { readPlainHead } from '../../src/platform/http/plain/plain-head.ts'
import { RecurringNames } from '../../src/platform/http/recurring-names.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { createDraw } from '../support/random.ts'

const request = [
  'GET /v1.7.0/accounts/b5a7?withBalance=true&x=%20 HTTP/1.1',
  'Host: bank.example',
  'User-Agent: a (b; c) "d"',
  'X-Request-ID: 0b6f3c6e-6f0e-4d6a-9a83-6f1f8f6f4c11',
  'Connection: keep-alive',
  'Accept: */*',
  '',
  '',
].join('\r\n')

/** What readers of HTTP disagree about. */
const pieces = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  '\n\n',
  '\0',
  '\t',
  ' ',
  '  ',
  ':',
  ';',
  ',',
  '\x0b',
  '\x0c',
  '\x7f',
  '\x80',
  '\xa0',
  '\xff',
  '#',
  '%',
  '%00',
  '\\',
  '"',
  '<',
  '{',
  '|',
  '/',
  '?',
  'GET ',
  'Content-Length: 3\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Upgrade: h2c\r\n',
  ' HTTP/1.1',
  'Connection: close\r\n',
  'Expect: 100-continue\r\n',
  'X: \r\n',
  'Y:z\r\n',
  '\r\n folded\r\n',
  'Proxy-Connection: close\r\n',
  'connection: Keep-Alive\r\n',
  'Z: a\tb\r\n',
  '1.0',
  'é',
  '~!',
]

function* mutations(cases: number): Iterable<string> {
  const draw = createDraw(20_261_130)
  for (let made = 0; made < cases; made += 1) {
    let text = request
    for (let left = 1 + draw(2); left > 0; left -= 1) {
      const at = draw(text.length)
      text = text.slice(0, at) + pieces[draw(pieces.length)] + text.slice(at + draw(3))
    }
    yield text
  }
}

t.test('a plain request is read as Node reads it, and only if Node reads it', async (t) => {
  const seen: (readonly [url: string | undefined, fields: readonly string[]])[] = []
  const server = createServer(
    { requireHostHeader: false },
    ({ url, rawHeaders, method }, response) => {
      seen.push([method === 'GET' ? url : method, rawHeaders])
      response.end()
    },
  )
  const port = await listenOnLoopback(server)
  t.teardown(() => server.close())
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  const octets = socket[Symbol.asyncIterator]()
  const read: (readonly [string, readonly string[]])[] = []
  let others = 0
  const names = new RecurringNames()
  for (const text of [request, ...mutations(20_000)]) {
    const head = readPlainHead(text, names)
    if (head === undefined) {
      others += 1
      continue
    }
    read.push([head.target, head.rawHeaders])
    socket.write(text, 'latin1')
    await octets.next()
  }
  t.same(seen, read)
  t.ok(read.length > 2_000, `${read.length} were plain`)
  t.ok(others > 2_000, `${others} were not`)
})

t.test('what decides about a message or its connection is not plain', (t) => {
  const read = (text: string) => readPlainHead(text, new RecurringNames())
  const fields = [
    'Content-Length: 0',
    'Transfer-Encoding: chunked',
    'Expect: 100-continue',
    'Upgrade: h2c',
    'Connection: close',
    'Connection: keep-alive, X-Y',
    'Proxy-Connection: keep-alive',
  ]
  for (const field of fields) {
    t.equal(read(`GET / HTTP/1.1\r\nHost: a\r\n${field}\r\n\r\n`), undefined, field)
    const lower = field.toLowerCase()
    t.equal(read(`GET / HTTP/1.1\r\nHost: a\r\n${lower}\r\n\r\n`), undefined, lower)
  }
  for (const line of [
    'POST / HTTP/1.1',
    'GET / HTTP/1.0',
    'GET http://a/ HTTP/1.1',
    'get / HTTP/1.1',
  ]) {
    t.equal(read(`${line}\r\nHost: a\r\n\r\n`), undefined, line)
  }
  t.equal(read('GET / HTTP/1.1\r\n\r\n'), undefined, 'no field')
  t.equal(read('GET / HTTP/1.1\r\nHost: a\r\n'), undefined, 'not whole')
  t.end()
})
