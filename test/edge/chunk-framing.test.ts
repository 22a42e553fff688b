import t, { type Test } from 'tap'
import { ChunkFraming } from '../../src/gateway/edge/request/chunk-framing.ts'
import { createTestAuthority, createTestTls } from '../support/certificates.ts'
import { startEdge, testKey } from '../support/edge.ts'
import { openConnection } from '../support/open-connection.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { rawRequest } from '../support/raw-client.ts'

const mebibyte = 1_048_576
const certificate = createTestAuthority(t).issue()

function chunks(count: number, data: string, extension = ''): string {
  return `${data.length.toString(16)}${extension}\r\n${data}\r\n`.repeat(count)
}

/** An edge that answers a chunked body, sent in writes of this many octets, with its status and the code of a refusal. */
async function start(t: Test, isSecure: boolean) {
  const backend = await startRawBackend(t)
  const tls = isSecure ? { tls: createTestTls(certificate) } : {}
  const edge = await startEdge(t, { backendUrl: backend.url, ...tls })
  const fields = [`X-API-Key: ${testKey}`, 'Transfer-Encoding: chunked', 'Connection: close']
  function post(body: string, length = Number.POSITIVE_INFINITY): Promise<string> {
    const octets = rawRequest('POST /v1.7.0/consents HTTP/1.1', fields, `${body}0\r\n\r\n`)
    const { socket } = openConnection(edge.url)
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString('latin1')))
    socket.on('error', () => undefined).on('end', () => socket.destroy())
    for (let at = 0; at < octets.length; at += length) socket.write(octets.slice(at, at + length))
    return new Promise((resolve) => {
      socket.on('close', () => {
        const [, status = ''] = /^HTTP\/1\.1 (\d+) /.exec(text) ?? []
        const [, code = ''] = /"code":"(\w+)"/.exec(text) ?? []
        resolve(`${status} ${code}`.trim())
      })
    })
  }
  return { backend, post }
}

for (const isSecure of [false, true]) {
  const over = isSecure ? 'over TLS' : 'over TCP'

  t.test(`60,000 chunks of one octet are refused, ${over}`, async (t) => {
    const { post, backend } = await start(t, isSecure)
    t.equal(await post(chunks(60_000, 'x')), '400 FRAMING_INVALID')
    t.equal(backend.requests.length, 0)
  })

  t.test(`160 KB of chunk extensions are refused, ${over}`, async (t) => {
    const { post, backend } = await start(t, isSecure)
    t.equal(await post(chunks(20, 'abcde', `;${'a'.repeat(8_192)}`)), '400 FRAMING_INVALID')
    t.equal(backend.requests.length, 0)
  })

  t.test(`what a client may send as chunks passes, ${over}`, async (t) => {
    const { post, backend } = await start(t, isSecure)
    const text = 'x'.repeat(256)
    t.equal(
      await post(chunks(mebibyte / 512, text.repeat(2))),
      '200',
      '1 MiB in chunks of 512 octets',
    )
    t.equal(await post(chunks(1, 'x'.repeat(mebibyte)), 100), '200', 'one chunk in many writes')
    t.equal(await post(chunks(mebibyte / 1_024, text.repeat(4)), 77), '200', 'cut anywhere')
    t.equal(await post(chunks(2_000, 'x')), '200', '2,000 chunks of one octet')
    t.equal(await post(chunks(30, 'abcde', `;${'a'.repeat(500)}`)), '200', '15 KB of extensions')
    t.same(
      backend.requests.map(({ body }) => body.length),
      [mebibyte, mebibyte, mebibyte, 2_000, 150],
    )
  })
}

t.test('data that waited for the checks counts with the reads in which it came', async (t) => {
  const socket = { bytesRead: 70_000 }
  const framing = new ChunkFraming(socket)
  const waited = [16_000, 16_000, 16_000].map((length) => framing.add({ length }))
  const flowing = Array.from({ length: 99 }, () => {
    socket.bytesRead += 16_384
    return framing.add({ length: 16_376 })
  })
  t.same([...new Set([...waited, ...flowing])], [undefined])
})
