import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { rawRequest, sendRaw } from '../support/raw-client.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const ofAddress = 5
const inTotal = 8
const { urls } = await runTollgate(t, {
  env: { CONNECTIONS_PER_ADDRESS: String(ofAddress), CONNECTIONS_MAX: String(inTotal) },
})
const listeners = ['gateway', 'portal', 'sca', 'management', 'backend'] as const

/** Opens connections one by one and sends nothing; the list has those that the listener keeps. */
async function hold(t: Test, url: string, localAddress: string, count: number) {
  const held = new Set<Socket>()
  for (let at = 0; at < count; at += 1) {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress })
    held.add(socket)
    socket.on('error', () => undefined).on('close', () => held.delete(socket))
    socket.resume()
    await once(socket, 'connect')
  }
  t.teardown(() => {
    for (const socket of held) socket.destroy()
  })
  return held
}

for (const name of listeners.filter((one) => one !== 'backend')) {
  t.test(
    `${name}: one address holds only its share of the connections, and all together no more than the bound`,
    async (t) => {
      const greedy = await hold(t, urls[name], '127.0.0.2', ofAddress + 3)
      await until('the surplus is closed', () => greedy.size === ofAddress)
      const other = await hold(t, urls[name], '127.0.0.3', ofAddress)
      await until('the bound is kept', () => other.size === inTotal - ofAddress)
      t.equal(greedy.size, ofAddress, 'the first ones stay')
    },
  )
}

t.test(
  'backend: gateways may hold more connections than a client, and all together no more than the bound',
  async (t) => {
    const gateway = await hold(t, urls.backend, '127.0.0.2', inTotal + 3)
    await until('the surplus is closed', () => gateway.size <= inTotal)
    t.ok(gateway.size > ofAddress, `${gateway.size} are held`)
  },
)

for (const name of listeners) {
  t.test(`${name}: a header block above 16 KiB is refused with 431`, async (t) => {
    const fields = Array.from({ length: 20 }, (_, at) => `X-${at}: ${'a'.repeat(1_000)}`)
    const answer = await sendRaw(urls[name], rawRequest('GET / HTTP/1.1', fields), {
      answers: Number.POSITIVE_INFINITY,
    })
    t.equal(answer.status, 431)
    t.ok(answer.isClosed)
  })
}

const bodies = {
  portal: { line: 'POST /api/session HTTP/1.1', type: 'application/json', most: 65_536 },
  sca: {
    line: 'POST /authorise/00000000-0000-4000-8000-000000000000 HTTP/1.1',
    type: 'application/x-www-form-urlencoded',
    most: 16_384,
  },
  backend: { line: 'POST /v1.7.0/consents HTTP/1.1', type: 'application/json', most: 1_048_576 },
} as const

for (const name of ['portal', 'sca', 'backend'] as const) {
  const { line, type, most } = bodies[name]
  t.test(`${name}: a body above ${most} bytes is refused, declared or in chunks`, async (t) => {
    const fields = [`Content-Type: ${type}`, `Origin: ${urls[name]}`]
    const declared = rawRequest(line, [...fields, `Content-Length: ${most + 1}`])
    t.equal((await sendRaw(urls[name], declared)).status, 413)
    const chunk = `${(most + 1).toString(16)}\r\n${'a'.repeat(most + 1)}\r\n0\r\n\r\n`
    const chunked = rawRequest(line, [...fields, 'Transfer-Encoding: chunked'], chunk)
    t.equal((await sendRaw(urls[name], chunked)).status, 413)
  })
}

for (const name of listeners) {
  t.test(`${name}: TRACE is refused, and returns nothing of the request`, async (t) => {
    const fields = ['Cookie: session=marker', 'X-Marker: marker']
    const answer = await sendRaw(urls[name], rawRequest('TRACE / HTTP/1.1', fields))
    t.ok(answer.status >= 400 && answer.status < 502, `${answer.status}`)
    t.notMatch(answer.text, /marker/i)
  })
}
