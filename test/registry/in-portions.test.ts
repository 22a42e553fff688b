import { sql } from 'kysely'
import t from 'tap'
import { deleteAged } from '../../src/registry/delete-aged.ts'
import { rowsPerPortion } from '../../src/registry/in-portions.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { pruneUsage } from '../../src/registry/usage/prune-usage.ts'
import { testDatabase } from '../support/database.ts'
import { testApplication, testStores } from '../support/registry.ts'

const old = 2 * rowsPerPortion + 500
const young = 7

t.test(
  'an interrupted clean-up loses none of its finished batches, and the next run deletes the rest',
  async (t) => {
    const { database } = await testDatabase(t)
    const db = database.connect<RegistrySchema>()
    const { application } = await testApplication(await testStores(database))
    await sql`
    insert into usage_minutes (application_id, at, api, version, operation, admitted, refused,
      refused_by_limit, errors, duration_ms_sum, duration_ms_max)
    select ${application.id}, now() - make_interval(hours => case when n > ${old} then 1 else 49 end),
      'xs2a', '1.7.0', n::text, 1, 0, 0, 0, 1, 1
    from generate_series(1, ${old + young}::int) n`.execute(db)
    await sql`delete from security_events`.execute(db)
    await sql`
    insert into security_events (event, at)
    select 'sign-in.refused', now() - make_interval(days => case when n > ${old} then 89 else 91 end)
    from generate_series(1, ${old + young}::int) n`.execute(db)

    const cases = [
      ['usage_minutes', (isStopped?: () => boolean) => pruneUsage(db, isStopped)],
      [
        'security_events',
        (isStopped?: () => boolean) => deleteAged(db, 'security_events', 90, isStopped),
      ],
    ] as const
    for (const [table, prune] of cases) {
      const rows = async () =>
        Number(
          (await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db))
            .rows[0]?.n,
        )
      let portions = 0
      await t.rejects(
        prune(() => {
          portions += 1
          if (portions === 2) throw new Error('the process was killed')
          return false
        }),
      )
      t.equal(await rows(), old + young - rowsPerPortion, `${table}: one batch is deleted`)
      await prune()
      t.equal(await rows(), young, `${table}: newer rows stay`)
    }
  },
)
