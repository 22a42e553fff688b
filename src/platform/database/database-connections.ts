import type { Role, Settings } from '../settings/settings.ts'

/** Most calls need no connection: look-ups of unknown keys, the change feed and a few writes each second share these. */
const gatewayConnections = { alone: 4, worker: 3, parentOfWorkers: 2 } as const
const otherConnections = 10
const workerMin = 2
/** Of a parent of workers with more roles than the gateway, which share these. */
const sharedMin = 4

type PoolSettings = Pick<Settings, 'databaseUrl' | 'databaseConnectionsMax' | 'gatewayWorkers'>

/** How many connections to the database a process may have, besides those of its workers. */
export function ownConnections(settings: PoolSettings, roles: ReadonlySet<Role>): number {
  // The embedded database serves this process alone.
  if (settings.databaseUrl === undefined) return otherConnections
  const isGatewayAlone = roles.has('gateway') && roles.size === 1
  const workers = roles.has('gateway') && settings.gatewayWorkers > 1 ? settings.gatewayWorkers : 0
  if (isGatewayAlone && workers > 0) return gatewayConnections.parentOfWorkers
  const own = isGatewayAlone ? gatewayConnections.alone : otherConnections
  if (settings.databaseConnectionsMax === undefined) return own
  return settings.databaseConnectionsMax - workers * workerConnections(settings, roles)
}

/**
 * How many connections a worker may have. The check of the deployment sees that these are 2 or more.
 *
 * @param roles of its parent
 */
export function workerConnections(
  { databaseUrl, databaseConnectionsMax, gatewayWorkers }: PoolSettings,
  roles: ReadonlySet<Role>,
): number {
  if (databaseUrl === undefined || databaseConnectionsMax === undefined)
    return gatewayConnections.worker
  return Math.floor((databaseConnectionsMax - parentMin(roles)) / gatewayWorkers)
}

/** What each needs of the connections of a process with workers, and the fewest for all together. */
export function connectionsNeeded(
  { gatewayWorkers }: PoolSettings,
  roles: ReadonlySet<Role>,
): { readonly worker: number; readonly parent: number; readonly total: number } {
  const parent = parentMin(roles)
  return { worker: workerMin, parent, total: gatewayWorkers * workerMin + parent }
}

function parentMin(roles: ReadonlySet<Role>): number {
  return roles.size === 1 ? gatewayConnections.parentOfWorkers : sharedMin
}
