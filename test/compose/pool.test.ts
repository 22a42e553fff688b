import t from 'tap'
import { administer } from '../support/database.ts'
import { fleetMissing, startFleet } from '../support/fleet.ts'
import { newApplication } from '../support/tollgate.ts'

for (const [what, env, connectionsMax] of [
  ['a gateway', { DATABASE_POOL_MAX: '2' }, 2],
  [
    'a gateway with two workers',
    { DATABASE_POOL_MAX: '6', GATEWAY_WORKERS: '2', GATEWAY_PROCESSES: '2' },
    6,
  ],
] as const) {
  t.test(
    `${what} serves with the fewest connections to PostgreSQL, and takes no more`,
    { skip: fleetMissing() },
    async (t) => {
      const { clients, stores, postgres } = await startFleet(t, { size: 1, env })
      const { key } = await newApplication(stores, 'served')
      const answers = await Promise.all(Array.from({ length: 20 }, () => clients[0]?.call({ key })))
      t.same(new Set(answers.map((answer) => answer?.status)), new Set([200]))
      const { count } = await administer(
        postgres.url,
        "select count(*)::int from pg_stat_activity where application_name like 'tollgate gateway%'",
      )
      t.ok(Number(count) >= 2 && Number(count) <= connectionsMax, `${count} connections`)
    },
  )
}
