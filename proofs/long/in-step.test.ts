import t from 'tap'
import { figure } from '../figure.ts'
import { proofSeed, proofSize } from '../size.ts'
import { exchangeInStep } from '../support/in-step.ts'

const wanted = proofSize({ share: 3_000, whole: 100_000 })
const seed = proofSeed()

for (const isSecure of [false, true]) {
  t.test(
    `${wanted} random exchanges on reused connections${isSecure ? ' with TLS' : ''} stay in step (SEED=${seed})`,
    { timeout: 60_000 + wanted * 10 },
    async (t) => {
      const { done, faults } = await exchangeInStep(t, { wanted, seed, isSecure })
      figure(`${done} exchanges in step`)
      for (const [name, list] of Object.entries(faults)) {
        t.same(list.slice(0, 3), [], `${list.length} ${name}`)
      }
    },
  )
}
