import { validateHeaderName, validateHeaderValue } from 'node:http'
import t, { type Test } from 'tap'
import { createAnswerParser } from '../../src/gateway/upstream/answer-parser.ts'
import { startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'

/**
 * What the gateway makes of an answer of the backend with these fields, for a client that keeps its connection and one that
 * does not.
 */
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
    )
  return [await ask('keep-alive'), await ask('close')]
}

const date = 'Date: Sun, 06 Nov 1994 08:49:37 GMT'
const length = 'Content-Length: 2'

t.test('every answer has a date, even where the backend’s is one of its connection', async (t) => {
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
