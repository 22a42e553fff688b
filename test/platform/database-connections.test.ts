import t from 'tap'
import {
  ownConnections,
  workerConnections,
} from '../../src/platform/database/database-connections.ts'
import type { Role } from '../../src/platform/settings/settings.ts'

/** @returns those of the parent and of each of four workers */
function divided(databaseConnectionsMax: number, ...roles: Role[]): readonly [number, number] {
  const settings = { databaseUrl: 'postgres://one', databaseConnectionsMax, gatewayWorkers: 4 }
  return [ownConnections(settings, new Set(roles)), workerConnections(settings, new Set(roles))]
}

t.test(
  'the workers leave the portal and the bank of their parent at least 4 connections',
  async (t) => {
    t.same(divided(12, 'gateway', 'portal', 'backend'), [4, 2])
    t.same(divided(15, 'gateway', 'portal', 'backend'), [7, 2])
    t.same(divided(16, 'gateway', 'portal', 'backend'), [4, 3])
  },
)

t.test('a parent that is only a gateway takes 2, its workers the rest', async (t) => {
  t.same(divided(10, 'gateway'), [2, 2])
  t.same(divided(14, 'gateway'), [2, 3])
})

t.test('the embedded database has its own number', async (t) => {
  const settings = { databaseUrl: undefined, databaseConnectionsMax: 2, gatewayWorkers: 4 }
  t.equal(workerConnections(settings, new Set(['gateway', 'backend'])), 3)
})
