import t from 'tap'
import { createDraw } from '../../bench/random.ts'
import { startEdge, testKey } from '../support/edge.ts'
import { exchangeAtRandom, type Faults } from '../support/exchanges.ts'
import { startFickleBackend } from '../support/fickle-backend.ts'

// npm run test:in-step runs 100,000 of them.
const wanted = Number(process.env['EXCHANGES'] ?? 3_000)
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 32))
const atATime = 24

t.test(
  `${wanted} random exchanges on reused connections stay in step (SEED=${seed})`,
  { timeout: 60_000 + wanted * 10 },
  async (t) => {
    const backend = await startFickleBackend(t)
    const edge = await startEdge(t, { backendUrl: backend.url, backendEchoesRequestId: true })
    const faults: Faults = { crossed: [], broken: [], lost: [], hung: [] }
    let done = 0
    const clients = Array.from({ length: atATime }, async (_, at) => {
      const draw = createDraw(seed + at)
      while (done < wanted) {
        const exchanges = await exchangeAtRandom({ url: edge.url, key: testKey, draw, faults })
        done += exchanges
      }
    })
    await Promise.all(clients)
    t.comment(`${done} exchanges with SEED=${seed}`)
    for (const [name, list] of Object.entries({ ...faults, atBackend: backend.crossed })) {
      t.same(list.slice(0, 3), [], `${list.length} ${name}`)
    }
  },
)
