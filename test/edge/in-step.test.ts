import t from 'tap'
import { exchangeInStep } from '../support/in-step.ts'

// npm run test:in-step runs 100,000 of each.
const wanted = Number(process.env['EXCHANGES'] ?? 3_000)
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 32))

for (const isSecure of [false, true]) {
  t.test(
    `${wanted} random exchanges on reused connections${isSecure ? ' with TLS' : ''} stay in step (SEED=${seed})`,
    { timeout: 60_000 + wanted * 10 },
    async (t) => {
      const { done, faults } = await exchangeInStep(t, { wanted, seed, isSecure })
      t.comment(`${done} exchanges with SEED=${seed}`)
      for (const [name, list] of Object.entries(faults)) {
        t.same(list.slice(0, 3), [], `${list.length} ${name}`)
      }
    },
  )
}
