import t from 'tap'
import { createUsageBuffer } from '../../src/gateway/operate/usage/usage-buffer.ts'
import { createUsageFlush } from '../../src/gateway/operate/usage/usage-flush.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { unreachableDatabase } from '../support/unreachable-database.ts'

/** The rows that one statement writes. */
const perStatement = 100

/** A flush whose database is unreachable. As many rows wait, each with one call. */
function flushWithoutDatabase({ rows }: { readonly rows: number }) {
  const usage = createUsageBuffer()
  for (let row = 0; row < rows; row += 1) {
    const counts = usage.find({
      applicationId: `application-${row}`,
      subject: undefined,
      minute: 7,
    })
    if (counts !== undefined) counts.admitted += 1
  }
  const reported = { lostCalls: 0, warnings: 0 }
  const flush = createUsageFlush({
    db: unreachableDatabase<RegistrySchema>(),
    usage,
    metrics: {
      usageLost(calls) {
        reported.lostCalls += calls
      },
    },
    log: {
      warn() {
        reported.warnings += 1
      },
    },
  })
  return { usage, flush, reported }
}

t.test(
  'a run that cannot write loses the counts of one statement, reports them, and keeps the others for the next run',
  async (t) => {
    const { usage, flush, reported } = flushWithoutDatabase({ rows: 250 })
    await flush.write()
    t.same(reported, { lostCalls: perStatement, warnings: 1 })
    t.equal(usage.waiting, 250 - perStatement)
  },
)

t.test('the final run reports all counts that it cannot write as lost', async (t) => {
  const { usage, flush, reported } = flushWithoutDatabase({ rows: 250 })
  await flush.end()
  t.equal(reported.lostCalls, 250)
  t.equal(usage.waiting, 0)
})
