import t from 'tap'
import { queueMax, underwayPerOperation } from '../../src/gateway/edge/forward/forward.ts'
import { burst, codeOf, createClient } from '../support/calling.ts'
import { startEdge, testKey } from '../support/edge.ts'
import { answerOk, startRawBackend } from '../support/raw-backend.ts'

const limits = [
  {
    name: 'default',
    calls: 10_000,
    windowLength: 31_536_000,
    isAdvertised: true,
    scope: 'operation' as const,
  },
]

/** Two of them have all the places there are. */
const operations = { listAccounts: '/v1.7.0/accounts', getAccount: '/v1.7.0/accounts/a' }
const oneMore = '/v1.6.0/accounts'

t.test(
  'when the connections to the backend and their queue are full, a call is refused and not counted',
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

    const connections = 256
    const room = connections + queueMax
    const calls = Promise.all(
      Object.values(operations).map((path) =>
        burst([waiting], underwayPerOperation, { key, path }),
      ),
    ).then((answers) => answers.flat())
    while (held.length < connections) await new Promise((resolve) => setTimeout(resolve, 10))
    // The last of them may still be on their way in.
    while ((await openCalls()) < room) await new Promise((resolve) => setTimeout(resolve, 10))
    const refused = await burst([another], 50, { key, path: oneMore })
    for (const answer of refused) {
      t.equal(answer.status, 503)
      t.equal(codeOf(answer), 'OVERLOADED')
      t.equal(answer.headers['retry-after'], '1')
      t.equal(answer.headers['ratelimit'], undefined, 'the counter was not asked')
    }
    t.equal(await metrics('OVERLOADED'), 50)
    t.equal(backend.requests.length, connections, 'nobody else reached the backend')

    backend.answer = answerOk
    for (const answer of held) answer()
    const answers = await calls
    t.ok(
      answers.every(({ status }) => status === 200),
      'those that waited are answered',
    )
    const [next] = await burst([another], 1, { key, path: oneMore })
    t.equal(next?.status, 200, 'and there is room again')
    t.equal(
      next?.headers['x-ratelimit-remaining'],
      String(10_000 - 1),
      'the refused calls were not counted',
    )

    async function openCalls(): Promise<number> {
      const buckets = Object.keys(operations).map((id) => ({
        bucket: `tollgate:{app-1}:xs2a:1.7.0:${id}:31536000`,
        windowLength: 31_536_000,
      }))
      const states = await edge.counter.peek(buckets)
      return states.reduce((sum, { count }) => sum + count, 0)
    }
  },
)
