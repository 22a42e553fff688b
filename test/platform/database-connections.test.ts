import t from 'tap'
import { connectionsMax } from '../../src/platform/database/database-connections.ts'
import type { Role } from '../../src/platform/settings/settings.ts'

t.test(
  'a gateway alone takes 4 connections, every other process 10, unless it is set',
  async (t) => {
    const of = (databaseConnectionsMax: number | undefined, ...roles: Role[]) =>
      connectionsMax({ databaseUrl: 'postgres://one', databaseConnectionsMax }, new Set(roles))
    t.equal(of(undefined, 'gateway'), 4)
    t.equal(of(undefined, 'gateway', 'portal', 'backend'), 10)
    t.equal(of(undefined, 'portal'), 10)
    t.equal(of(6, 'gateway'), 6)
    t.equal(of(6, 'gateway', 'portal'), 6)
  },
)

t.test('the embedded database has its own number', async (t) => {
  const settings = { databaseUrl: undefined, databaseConnectionsMax: 2 }
  t.equal(connectionsMax(settings, new Set(['gateway', 'backend'])), 10)
})
