import { Kysely, PostgresDialect } from 'kysely'
import t from 'tap'
import { createUsageBuffer } from '../../src/gateway/operate/usage/usage-buffer.ts'
import { createUsageFlush } from '../../src/gateway/operate/usage/usage-flush.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'

/** An unreachable database, and this number of waiting rows with one call each. */
function startFlush(rows: number) {
  const pool = () => Promise.reject(new Error('unreachable'))
  const usage = createUsageBuffer()
  for (let row = 0; row < rows; row += 1) {
    const counts = usage.find(`application-${row}`, undefined, 7)
    if (counts !== undefined) counts.admitted += 1
  }
  const told = { lost: 0, lines: 0 }
  const flush = createUsageFlush({
    db: new Kysely<RegistrySchema>({ dialect: new PostgresDialect({ pool }) }),
    usage,
    metrics: {
      usageLost(calls) {
        told.lost += calls
      },
    },
    log: {
      warn() {
        told.lines += 1
      },
    },
  })
  return { usage, flush, told }
}

t.test('a database that is away takes one portion, and the others wait', async (t) => {
  const { usage, flush, told } = startFlush(1200)
  await flush.write()
  t.same(told, { lost: 500, lines: 1 })
  t.equal(usage.waiting, 700)
})

t.test('all counts that cannot be written before the end are reported as lost', async (t) => {
  const { usage, flush, told } = startFlush(1200)
  await flush.end()
  t.equal(told.lost, 1200)
  t.equal(usage.waiting, 0)
})
