import type { Role, Settings } from '../settings/settings.ts'

/** Most calls need no connection: look-ups of unknown keys, the change feed and a few writes each second share these. */
const gatewayConnections = 4
const otherConnections = 10

/** How many connections to the database a process may have. */
export function connectionsMax(
  settings: Pick<Settings, 'databaseUrl' | 'databaseConnectionsMax'>,
  roles: ReadonlySet<Role>,
): number {
  // The embedded database serves this process alone.
  if (settings.databaseUrl === undefined) return otherConnections
  const isGatewayAlone = roles.has('gateway') && roles.size === 1
  return settings.databaseConnectionsMax ?? (isGatewayAlone ? gatewayConnections : otherConnections)
}
