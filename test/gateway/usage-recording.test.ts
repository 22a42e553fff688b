import { sql } from 'kysely'
import t from 'tap'
import { rollUp } from '../../src/gateway/operate/usage/roll-up.ts'
import type { RegistrySchema } from '../../src/gateway/registry/schema.ts'
import { openDatabase } from '../../src/platform/database.ts'
import { createLog } from '../../src/platform/log.ts'
import { type Answer, burst, eventually } from '../support/calling.ts'
import { fleetMissing, startFleet } from '../support/fleet.ts'
import { newApplication } from '../support/tollgate.ts'

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
      await eventually(async () => {
        found = await sums(table)
        return JSON.stringify(found) === JSON.stringify(expected)
      })
      t.same(found, expected, table)
    }
    const { rows } = await sql<{ count: number }>`
      select count(*) from call_records where application_id = ${applicationId}`.execute(db)
    t.same(rows, [{ count: 350 }])

    await Promise.all(Array.from({ length: 8 }, () => rollUp(db, 0)))
    t.same(await sums('usage_hours'), expected, 'rolling up again and at once changes nothing')
    t.same(await sums('usage_days'), expected)
  })

  await t.test('make hours and days of what was written while nobody rolled up', async (t) => {
    await sql`
      insert into usage_minutes
      select ${applicationId}::uuid, date_trunc('hour', now(), 'UTC') - n * interval '10 minutes', 'xs2a', '1.7.0',
        'late', 2, 1, 1, 1, 3, n
      from generate_series(1, 120) n`.execute(db)
    await sql`update portal_state set value = (now() - interval '21 hours')::text where name = 'usage-rolled-up'`.execute(
      db,
    )
    await rollUp(db, 0)
    const { rows } = await sql`
      select count(*) as hours, sum(admitted)::int as admitted, sum(refused)::int as refused, max(duration_ms_max) as longest
      from usage_hours where application_id = ${applicationId} and operation = 'late'`.execute(db)
    t.same(rows, [{ hours: 20, admitted: 240, refused: 120, longest: 120 }])
    const { rows: days } = await sql`
      select sum(admitted)::int as admitted, sum(duration_ms_sum) as sum
      from usage_days where application_id = ${applicationId} and operation = 'late'`.execute(db)
    t.same(days, [{ admitted: 240, sum: 360 }])
  })

  await t.test(
    'serve on at the same pace with the database frozen, and lose records instead',
    async (t) => {
      const [gateway] = fleet.gateways
      const [client] = fleet.clients
      if (gateway === undefined || client === undefined) throw new Error('no gateway')
      const { key: other } = await newApplication(fleet.stores, 'frozen')
      const series = async (name: string): Promise<number> => {
        const text = await (await fetch(`${gateway.urls.management}/metrics`)).text()
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
      const lostBefore = await series('gateway_call_records_lost_total')
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
      } finally {
        fleet.postgres.thaw()
      }
      t.ok(
        await eventually(
          async () => (await series('gateway_call_records_lost_total')) > lostBefore,
        ),
        'what was lost is counted',
      )
      const [last] = await burst([client], 1, { key: other })
      t.ok(
        await eventually(async () => {
          const { rows } = await sql`
          select from call_records where request_id = ${last?.requestId}`.execute(db)
          return rows.length === 1
        }),
        'and recording goes on',
      )
    },
  )

  await t.test('write what is left when they are told to end', async (t) => {
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
