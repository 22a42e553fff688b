import t from 'tap'
import { startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'

const fields = `Host: a\r\nX-API-Key: ${testKey}\r\n\r\n`
const path = '/v1.7.0/accounts'

/** Request lines with their line endings, by the expected answer. */
const lines: Readonly<Record<string, readonly string[]>> = {
  '400 FRAMING_INVALID': [
    `GET ${path} HTTP/1.1\n`,
    `GET ${path} HTTP/2.0\n`,
    `GET ${path} HTTP/1\r\n`,
    `GET ${path} HTTP/2\r\n`,
    `GET ${path} HTTP/01.1\r\n`,
    `GET ${path} HTTP/02.0\r\n`,
    `GET ${path} HTTP/1.01\r\n`,
    `GET ${path} HTTP/1 .1\r\n`,
    `GET ${path} HTTP/ 1.1\r\n`,
    `GET ${path} HTTP/1.1 \r\n`,
    `GET ${path} HTTP/1.1 HTTP/2.0\r\n`,
    `GET ${path} HTTP/1.2\r\n`,
    `GET ${path}\r\n`,
    `GET\t${path} HTTP/1.1\r\n`,
    `GET\r\n`,
    `G@T ${path} HTTP/1.1\r\n`,
    `F\u00d6\u00d6 ${path} HTTP/1.1\r\n`,
    `\u0016\u0003\u0001\u0002\u0000\u0001\r\n`,
    `${'A'.repeat(300)} ${path} HTTP/1.1\r\n`,
    `   \r\n`,
    ` GET ${path} HTTP/1.1\r\n`,
    `FOO\r\n`,
    `FOO ${path}\r\n`,
    `GET ${path} HTTPS/1.1\r\n`,
  ],
  '501 NOT_IMPLEMENTED': [
    `FOO ${path} HTTP/1.1\r\n`,
    `get ${path} HTTP/1.1\r\n`,
    `GETX ${path} HTTP/1.1\r\n`,
    `FLUSH ${path} HTTP/1.1\r\n`,
    `!#$%&'*+-.^_\`|~9 ${path} HTTP/1.1\r\n`,
  ],
  '505 HTTP_VERSION': [
    `GET ${path} HTTP/2.0\r\n`,
    `GET ${path} HTTP/3.0\r\n`,
    `GET ${path} HTTP/9.9\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ],
}

t.test(
  'a malformed request line gets 400, an unknown method 501, an unsupported version 505',
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, { backendUrl: backend.url })
    const first = rawRequest(`GET ${path} HTTP/1.1`, [`X-API-Key: ${testKey}`])
    const cases = Object.entries(lines).flatMap(([answer, each]) =>
      each.map((line) => ({ line, answer })),
    )
    await Promise.all(
      cases.map(async ({ line, answer }) => {
        const bytes = Buffer.from(line + fields, 'latin1')
        const { status, body } = await sendRaw(edge.url, bytes)
        t.equal(`${status} ${JSON.parse(body).code}`, answer, JSON.stringify(line))
        const { text } = await sendRaw(edge.url, Buffer.concat([Buffer.from(first), bytes]), {
          answers: 2,
        })
        t.match(text, `HTTP/1.1 200 OK`, 'the request before it is answered')
      }),
    )
    t.equal(backend.requests.length, cases.length)
  },
)
