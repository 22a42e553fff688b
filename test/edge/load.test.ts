import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { startEdge, testKey } from '../support/edge.ts'
import { answerOk, type RecordedRequest, startRawBackend } from '../support/raw-backend.ts'
import { until } from '../support/until.ts'

t.test(
  'the metrics show calls under way, their bodies and connections, and nothing after them',
  async (t) => {
    const backend = await startRawBackend(t)
    const held: [RecordedRequest, Socket][] = []
    backend.answer = (request, socket) => void held.push([request, socket])
    const backendUrls = new Map([['mandate', backend.url]])
    const edge = await startEdge(t, { backendUrl: backend.url, backendUrls })
    async function shows(lines: readonly string[]): Promise<boolean> {
      const text = await edge.metrics()
      return lines.every((line) => text.includes(`\n${line}\n`))
    }
    const idle = [
      'gateway_calls_in_progress 0',
      'gateway_upload_bytes 0',
      'gateway_backend_waiting{backend="*"} 0',
      'gateway_backend_connections{backend="*",state="busy"} 0',
    ]
    t.ok(await shows(idle))
    const headers = { 'x-api-key': testKey, 'content-type': 'application/json' }
    const post = fetch(`${edge.url}/v1.7.0/consents`, {
      method: 'POST',
      headers,
      body: '{"a":"1"}',
    })
    const get = fetch(`${edge.url}/v1.7.0/accounts`, { headers })
    await until('both calls are at the backend', () => held.length === 2)
    t.ok(
      await shows([
        'gateway_calls_in_progress 2',
        'gateway_upload_bytes 9',
        'gateway_backend_connections{backend="*",state="busy"} 2',
        'gateway_backend_connections{backend="*",state="idle"} 0',
        'gateway_backend_connections{backend="mandate",state="busy"} 0',
      ]),
      await edge.metrics(),
    )
    for (const [request, socket] of held) answerOk(request, socket)
    await Promise.all((await Promise.all([post, get])).map((answer) => answer.arrayBuffer()))
    await until('both calls have ended', () =>
      shows([...idle, 'gateway_backend_connections{backend="*",state="idle"} 2']),
    )
  },
)

t.test('the wait for a slow body is not counted as time of the gateway', async (t) => {
  const backend = await startRawBackend(t)
  let movedMs = 0
  const monotonic = () => movedMs
  const edge = await startEdge(t, { backendUrl: backend.url, monotonic })
  const socket = connect(Number(new URL(edge.url).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  const fields = ['Host: a', `X-API-Key: ${testKey}`, 'Content-Type: application/json']
  const framing = ['Content-Length: 9', 'Expect: 100-continue']
  socket.write(`POST /v1.7.0/consents HTTP/1.1\r\n${[...fields, ...framing].join('\r\n')}\r\n\r\n`)
  const [waits] = await once(socket, 'data')
  t.match(String(waits), /^HTTP\/1.1 100 /, 'the gateway waits for the body')
  movedMs = 8_000
  socket.write('{"a":"1"}')
  const [answer] = await once(socket, 'data')
  t.match(String(answer), /^HTTP\/1.1 200 /)
  const secondsOf = async (metric: string): Promise<number> =>
    Number(new RegExp(`\n${metric}_sum\\S* (\\S+)\n`).exec(await edge.metrics())?.[1])
  await until('the call is counted', async () =>
    /\ngateway_overhead_duration_seconds_count\S* 1\n/.test(await edge.metrics()),
  )
  t.equal(await secondsOf('gateway_overhead_duration_seconds'), 0)
})
