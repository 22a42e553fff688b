import t from 'tap'
import { createLog } from '../../src/platform/log/log.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { keepRecords } from '../../src/registry/usage/keep-records.ts'
import { testDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

t.test('outages are settled although old records cannot be deleted', async (t) => {
  const { database } = await testDatabase(t)
  const succeeded: string[] = []
  let pruned = 0
  const upkeep = keepRecords({
    db: database.connect<RegistrySchema>(),
    keys: {
      async prune() {
        pruned += 1
        throw new Error('not allowed')
      },
    },
    jobs: { watch: (job) => () => succeeded.push(job) },
    log: createLog('silent'),
  })
  await until('the outages are settled', () => succeeded.length > 0 && pruned > 0)
  await upkeep.close()
  t.same(succeeded, ['outages'])
})
