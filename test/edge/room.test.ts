import t from 'tap'
import { readSettings } from '../../src/platform/settings/settings.ts'
import { burst, codeOf, createClient } from '../support/calling.ts'
import { startEdge, testKey } from '../support/edge.ts'
import { answerOk, startRawBackend } from '../support/raw-backend.ts'
import { until } from '../support/until.ts'

const limits = [
  {
    name: 'default',
    calls: 10_000,
    windowLength: 31_536_000,
    isAdvertised: true,
    scope: 'operation' as const,
  },
]

const path = '/v1.7.0/accounts'
const { backendConnectionsMax, backendQueueMax } = readSettings({})
/** Half of all. */
const room = (backendConnectionsMax + backendQueueMax) / 2

t.test(
  'when an operation has as many calls at the backend or waiting for it as it may, the next is refused and not counted',
  async (t) => {
    const backend = await startRawBackend(t)
    const held: (() => void)[] = []
    backend.answer = (request, socket) => void held.push(() => answerOk(request, socket))
    const edge = await startEdge(t, { backendUrl: backend.url, plan: { limits } })
    const waiting = createClient(t, edge.url, 1000)
    const another = createClient(t, edge.url, 50)
    const key = testKey
    const metrics = async (outcome: string) => {
      const line = `outcome="${outcome}"} `
      const found = (await edge.metrics()).split('\n').find((text) => text.includes(line))
      return Number(found?.split(line)[1] ?? 0)
    }

    /** Half of 256. */
    const connections = 128
    const calls = burst([waiting], room, { key, path })
    await until('the backend has what it may have', () => held.length === connections)
    await until('the others wait for it', async () => (await openCalls()) === room)
    const refused = await burst([another], 50, { key, path })
    for (const answer of refused) {
      t.equal(answer.status, 503)
      t.equal(codeOf(answer), 'OVERLOADED')
      t.equal(answer.headers['retry-after'], '1')
      t.equal(answer.headers['ratelimit'], undefined, 'the counter was not asked')
    }
    t.equal(await metrics('OVERLOADED'), 50)
    t.equal(backend.requests.length, connections, 'no other call reached the backend')

    backend.answer = answerOk
    for (const answer of held) answer()
    const answers = await calls
    t.ok(
      answers.every(({ status }) => status === 200),
      'those that waited are answered',
    )
    const [next] = await burst([another], 1, { key, path })
    t.equal(next?.status, 200, 'and there is room again')
    t.equal(
      next?.headers['x-ratelimit-remaining'],
      String(10_000 - room - 1),
      'the refused calls were not counted',
    )

    async function openCalls(): Promise<number> {
      const bucket = 'tollgate:{app-1}:xs2a:1.7.0:listAccounts:31536000'
      const [state] = await edge.counter.peek([{ bucket, windowLength: 31_536_000 }])
      return state?.count ?? 0
    }
  },
)
