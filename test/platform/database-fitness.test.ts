import { DummyDriver, Kysely } from 'kysely'
import { DatabaseError } from 'pg'
import t from 'tap'
import { refuseUnfitDatabase } from '../../src/platform/database/database-fitness.ts'
import { dialectOver } from '../support/driver-dialect.ts'

/** A database that answers with these rows, or with the error of a code. */
function answering(answer: (statement: string) => object | string): Kysely<unknown> {
  const connection = {
    async executeQuery({ sql }: { readonly sql: string }) {
      const given = answer(sql)
      if (typeof given !== 'string') return { rows: [given as never] }
      throw Object.assign(new DatabaseError('not here', 0, 'error'), { code: given })
    },
    async *streamQuery() {
      yield* []
    },
  }
  class Driver extends DummyDriver {
    override async acquireConnection() {
      return connection
    }
  }
  return new Kysely({
    dialect: dialectOver(new Driver()),
  })
}

const horizon = /no transaction horizon \(pg_current_snapshot\)/

for (const [what, code] of [
  ['lacks a function', '42883'],
  ['does not support it', '0A000'],
  ['has not built it', 'XXUUU'],
] as const) {
  t.test(
    `a database that names an old version and ${what} gets an error that names what is missing`,
    async (t) => {
      const db = answering((statement) =>
        statement.includes('server_version') ? { version: '130000', number: '13.0.0' } : code,
      )
      await t.rejects(refuseUnfitDatabase(db), { name: 'UnfitDatabase', message: horizon })
    },
  )
}

t.test(
  'an old PostgreSQL, which has all functions, gets an error that names its version',
  async (t) => {
    const db = answering((statement) =>
      statement.includes('server_version')
        ? { version: '140011', number: '14.11' }
        : { xid: '7', next: '8' },
    )
    await t.rejects(refuseUnfitDatabase(db), { message: /is PostgreSQL 14\.11/ })
  },
)

for (const [what, code] of [
  ['an outage', '57P03'],
  ['an internal error of PostgreSQL or a pooler', 'XX000'],
] as const) {
  t.test(`${what} is no verdict`, async (t) => {
    await t.rejects(refuseUnfitDatabase(answering(() => code)), { code })
  })
}
