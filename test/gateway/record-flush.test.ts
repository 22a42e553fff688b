import t from 'tap'
import { createRecordBuffer } from '../../src/gateway/operate/calls/record-buffer.ts'
import { createRecordFlush } from '../../src/gateway/operate/calls/record-flush.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { unreachableDatabase } from '../support/unreachable-database.ts'

/** The records that one statement writes. */
const perStatement = 200

/** A flush whose database is unreachable, and 500 records that wait. */
function flushWithoutDatabase() {
  const records = createRecordBuffer()
  for (let at = 1; at <= 500; at += 1) {
    records.add((record) => {
      record.at = at
    })
  }
  const reported = { unwritten: 0, warnings: 0 }
  const flush = createRecordFlush({
    db: unreachableDatabase<RegistrySchema>(),
    records,
    metrics: {
      recordsLost(lost, reason) {
        if (reason === 'unwritten') reported.unwritten += lost
      },
    },
    log: {
      warn() {
        reported.warnings += 1
      },
    },
  })
  return { records, flush, reported }
}

t.test(
  'a run that cannot write loses the records of one statement, reports them, and keeps the others for the next run',
  async (t) => {
    const { records, flush, reported } = flushWithoutDatabase()
    t.equal(await flush.write(), perStatement)
    t.same(reported, { unwritten: perStatement, warnings: 1 })
    t.equal(records.size, 500 - perStatement)
    t.equal(records.take(1)[0]?.at, perStatement + 1, 'the oldest are gone')
  },
)

t.test('the final run reports all records that it cannot write as lost', async (t) => {
  const { records, flush, reported } = flushWithoutDatabase()
  await flush.end()
  t.equal(reported.unwritten, 500)
  t.equal(records.size, 0)
})
