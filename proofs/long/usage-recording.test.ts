import { sql } from 'kysely'
import t from 'tap'
import { writeUsage } from '../../src/gateway/operate/usage/usage-writer.ts'
import { openDatabase } from '../../src/platform/database/database.ts'
import { createLog } from '../../src/platform/log/log.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { pruneUsage } from '../../src/registry/usage/prune-usage.ts'
import { type Answer, burst } from '../../test/support/calling.ts'
import { fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { metricsOf } from '../../test/support/metrics.ts'
import { newApplication } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'
import { usageCounts } from '../../test/support/usage-counts.ts'

t.test('two processes over one PostgreSQL', { skip: fleetMissing() }, async (t) => {
  const fleet = await startFleet(t, { size: 2, plan: { calls: 150, window: 'P365D' } })
  const database = openDatabase({ url: fleet.postgres.url, log: createLog('silent') })
  t.teardown(() => database.close())
  const db = database.connect<RegistrySchema>()
  const app = await newApplication(fleet.stores, 'usage')
  const { applicationId, key } = app

  async function sums(table: string): Promise<unknown> {
    const { rows } = await sql`
      select operation, sum(admitted)::int as admitted, sum(refused)::int as refused,
        sum(refused_by_limit)::int as refused_by_limit, sum(errors)::int as errors
      from ${sql.table(table)} where application_id = ${applicationId}
      group by operation order by operation`.execute(db)
    return rows
  }

  await t.test('count every call once, by minute, hour and day alike', async (t) => {
    await burst(fleet.clients, 2, { key })
    const answers = [
      ...(await burst(fleet.clients, 298, { key })),
      ...(await burst(fleet.clients, 40, { key, path: '/v1.7.0/card-accounts' })),
      ...(await burst(fleet.clients, 10, { key, path: '/nothing' })),
    ]
    const isRefused = ({ status }: Answer): boolean => status === 429
    t.equal(answers.filter(isRefused).length, 150)
    const expected = [
      { operation: '', admitted: 0, refused: 10, refused_by_limit: 0, errors: 0 },
      { operation: 'listAccounts', admitted: 150, refused: 150, refused_by_limit: 150, errors: 0 },
      { operation: 'listCardAccounts', admitted: 40, refused: 0, refused_by_limit: 0, errors: 0 },
    ]
    for (const table of ['usage_minutes', 'usage_hours', 'usage_days']) {
      let found: unknown
      await until('the counts are written', async () => {
        found = await sums(table)
        return JSON.stringify(found) === JSON.stringify(expected)
      })
      t.same(found, expected, table)
    }
    // Records are written apart from the counts.
    let records = 0
    await until('the records are written', async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*) from call_records where application_id = ${applicationId}`.execute(db)
      records = rows[0]?.count ?? 0
      return records >= 350
    })
    t.equal(records, 350)
  })

  await t.test('count in every step at once, however late and from how many', async (t) => {
    const { applicationId: id } = await newApplication(fleet.stores, 'late')
    const { applicationId: gone } = await newApplication(fleet.stores, 'gone')
    await fleet.stores.applications.delete({ id: gone, by: 'test' })
    const hour = 3_600_000
    // Half a day of minutes that ends 30 hours ago: a writer with a wrong clock, or kept waiting.
    const first = Math.floor((Date.now() - 42 * hour) / 60_000)
    const counts = [gone, id].flatMap((applicationId) =>
      Array.from({ length: 720 }, (_, at) =>
        usageCounts({
          applicationId,
          operation: `late-${at % 3}`,
          minute: first + at,
          admitted: 2,
          refused: 1,
          refusedByLimit: 1,
          errors: 1,
          durationMsSum: 3,
          durationMsMax: at,
        }),
      ),
    )
    const writers = 6
    await Promise.all(
      Array.from({ length: writers }, (_, at) =>
        writeUsage(db, at % 2 === 0 ? counts : counts.toReversed()),
      ),
    )
    for (const table of ['usage_minutes', 'usage_hours', 'usage_days']) {
      const { rows } = await sql`
        select sum(admitted)::int as admitted, sum(refused)::int as refused,
          sum(refused_by_limit)::int as refused_by_limit, sum(errors)::int as errors,
          sum(duration_ms_sum)::int as sum, max(duration_ms_max)::int as longest
        from ${sql.table(table)} where application_id = any(${[id, gone]}::uuid[])`.execute(db)
      const [calls, sum] = [720 * writers, 720 * writers * 3]
      t.same(
        rows,
        [
          {
            admitted: calls * 2,
            refused: calls,
            refused_by_limit: calls,
            errors: calls,
            sum,
            longest: 719,
          },
        ],
        table,
      )
    }
    const { rows } = await sql`
      select bool_and(at = date_trunc('hour', at, 'UTC')) as hours from usage_hours where application_id = ${id}`.execute(
      db,
    )
    t.same(rows, [{ hours: true }])
  })

  await t.test('do not block changes to the application while they are written', async (t) => {
    const { stores } = fleet
    const { applicationId: id } = await newApplication(stores, 'busy')
    const by = 'test'
    await db.transaction().execute(async (trx) => {
      // As the writers of counts and records hold it; of many gateways some hold it at any time.
      await sql`select from applications where id = ${id} for key share`.execute(trx)
      const issued = await stores.keys.issue({ applicationId: id, by })
      await stores.keys.rotate({ id: issued.id, overlapSeconds: 60, by })
      await stores.applications.suspend({ id, by })
      const [subscription] = await stores.subscriptions.list({ applicationId: id })
      await stores.subscriptions.end({ id: subscription?.id ?? '', by })
      await stores.overrides.create({
        applicationId: id,
        api: 'xs2a',
        version: '1.7.0',
        limit: 'default',
        calls: 1,
        reason: 'busy',
        expiresAt: new Date(Date.now() + 60_000),
        by,
      })
    })
    t.not((await stores.applications.find(id))?.suspendedAt, null)
  })

  await t.test('are deleted by the age of their step', async (t) => {
    const { applicationId: id } = await newApplication(fleet.stores, 'aged')
    for (const [table, kept] of [
      ['usage_minutes', '48 hours'],
      ['usage_hours', '60 days'],
      ['usage_days', '400 days'],
    ] as const) {
      await sql`
        insert into ${sql.table(table)}
        select ${id}::uuid, now() - ${kept}::interval + n * interval '1 minute', 'xs2a', '1.7.0', 'aged', 1, 0, 0, 0, 1, 1
        from generate_series(-60000, 2) n where n <> 0`.execute(db)
      await pruneUsage(db)
      const { rows } = await sql`
        select count(*) from ${sql.table(table)} where application_id = ${id}`.execute(db)
      t.same(rows, [{ count: 2 }], `${table}: more than one piece of a deletion`)
    }
  })

  await t.test(
    'serve on at the same pace with the database frozen, and lose records instead',
    async (t) => {
      const [gateway] = fleet.gateways
      const [client] = fleet.clients
      if (gateway === undefined || client === undefined) throw new Error('no gateway')
      const { key: other } = await newApplication(fleet.stores, 'frozen')
      const series = async (name: string): Promise<number> => {
        const text = await metricsOf(gateway.urls.management)
        return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
      }
      const round = async (): Promise<number> => {
        const begun = performance.now()
        for (let sent = 0; sent < 3_000; sent += 100) {
          const answers = await burst([client], 100, { key: other })
          t.ok(answers.every(({ status }) => status === 429))
        }
        return performance.now() - begun
      }
      await burst([client], 150, { key: other })
      await round()
      const before = await round()
      const lostBefore = await series('gateway_call_records_lost_total\\{reason="unwritten"\\}')
      fleet.postgres.freeze()
      try {
        const frozen = [await round()]
        const residentBefore = await series('process_resident_memory_bytes')
        frozen.push(await round(), await round())
        t.ok(
          Math.min(...frozen) < before * 2 + 200,
          `${Math.round(before)} ms before, ${frozen.map(Math.round)} ms frozen`,
        )
        const grown = (await series('process_resident_memory_bytes')) - residentBefore
        t.ok(grown < 60e6, `${Math.round(grown / 1e6)} MB more`)
        // Frozen until a statement has timed out, however quick the calls were.
        await until(
          'what was lost is counted',
          async () =>
            (await series('gateway_call_records_lost_total\\{reason="unwritten"\\}')) > lostBefore,
        )
      } finally {
        fleet.postgres.thaw()
      }
      const [last] = await burst([client], 1, { key: other })
      await until('and recording goes on', async () => {
        const { rows } = await sql`
          select from call_records where request_id = ${last?.requestId}`.execute(db)
        return rows.length === 1
      })
    },
  )

  await t.test('write what is left at shutdown', async (t) => {
    const { applicationId: id, key: last } = await newApplication(fleet.stores, 'last')
    await burst(fleet.clients, 20, { key: last })
    for (const gateway of fleet.gateways) gateway.signal('SIGTERM')
    t.same(await Promise.all(fleet.gateways.map((gateway) => gateway.ended)), [0, 0])
    const { rows } = await sql`
      select (select count(*) from call_records where application_id = ${id}) as records,
        (select sum(admitted)::int from usage_minutes where application_id = ${id}) as admitted`.execute(
      db,
    )
    t.same(rows, [{ records: 20, admitted: 20 }])
  })
})
