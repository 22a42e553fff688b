import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose'
import type { Registry as MetricsRegistry } from 'prom-client'
import { createBankMetrics } from '../backend/bank-metrics.ts'
import { isOfBank } from '../backend/bank-operations.ts'
import { createBackend } from '../backend/create-backend.ts'
import { createGatewayKeys } from '../backend/gateway-keys.ts'
import { timerMsMost } from '../backend/processes/timer.ts'
import { seedSandbox } from '../backend/sandbox/seed.ts'
import { bankMigrations } from '../backend/stores/migrations/index.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { IdentitySigner } from '../gateway/edge/forward/identity.ts'
import { migrate } from '../platform/database/migrate.ts'
import { watchDatabase } from '../platform/database/watch-database.ts'
import { createAccessLine } from '../platform/http/access-line.ts'
import { limitConnections } from '../platform/http/connection-limits.ts'
import { freePort } from '../platform/http/free-port.ts'
import { closeListeners, listen, origin } from '../platform/http/listen.ts'
import { createNetworks } from '../platform/http/networks.ts'
import type { JobMetrics } from '../platform/process/job-metrics.ts'
import { createPoolGauges, databaseGauges } from '../platform/process/load-gauges.ts'
import type { Probe } from '../platform/process/management.ts'
import { createStoreGauge } from '../platform/process/store-gauge.ts'
import { hasOwnBackend } from '../platform/settings/sandbox.ts'
import { splitSecrets } from '../platform/settings/secret-list.ts'
import type { Addresses } from './addresses.ts'
import type { LiveSecret } from './live-secrets.ts'
import type { Publisher } from './publisher.ts'
import { createSealTrusts } from './seal-trusts.ts'
import type { Services } from './services.ts'
import type { ListenerFoundation } from './stores.ts'

export interface BackendRoleOptions extends ListenerFoundation {
  readonly publisher: Pick<Publisher, 'current' | 'prepareWith'>
  readonly addresses: Addresses
  readonly metricsRegistry: MetricsRegistry
  readonly jobs: JobMetrics
  /** The signer of the gateway in this process; undefined: its keys are at IDENTITY_JWKS_URL. */
  readonly identity: IdentitySigner | undefined
  /** Undefined: gateway and portal run elsewhere. */
  readonly services: Pick<Services, 'registry' | 'peppers'> | undefined
  /** Shared with the portal; undefined: no sandbox. */
  readonly sandboxSecret: LiveSecret | undefined
}

/**
 * Starts the backend role: tables, sandbox, both listeners.
 *
 * @returns what the process needs to be ready
 * @throws when the bank cannot serve an operation, the database fails or a port is in use
 */
export async function startBackend(options: BackendRoleOptions): Promise<readonly Probe[]> {
  const { settings, publisher, database, identity, addresses, sandboxSecret, log } = options
  const { accessLog } = options.logSwitch
  const timeZone = settings.bankTimeZone
  const { migrateOnStart } = settings
  /** Without the versions that other backends serve. */
  const atBank = (catalogue: Catalogue): Catalogue => {
    // With BACKEND_URL, gateways send calls of APIs that the bank does not have to another backend.
    const versions = [...catalogue.versions].filter(
      ([, each]) =>
        !hasOwnBackend(settings, each) && (settings.backendUrl === undefined || isOfBank(each)),
    )
    return { ...catalogue, versions: new Map(versions) }
  }
  await migrate(database, { name: 'bank', migrations: bankMigrations, migrateOnStart })
  await seedSandbox({ database, now: Date.now, timeZone })
  // Links contain the address of the pages, so it must be known before anything listens.
  const sca = { ...settings.sca, port: await freePort(settings.sca) }
  const keys = identity === undefined ? remoteKeys(options) : localKeys(identity)
  const backend = await createBackend({
    tls: { backend: options.certificates.backend, sca: options.certificates.sca },
    catalogue: atBank(publisher.current().catalogue),
    database,
    identity: { key: keys.key, audience: settings.identityAudience },
    log,
    now: Date.now,
    timeZone,
    bodyBytesMax: settings.bodyBytesMax,
    scaPublicUrl: settings.scaPublicUrl ?? origin(sca),
    sealTrusts: createSealTrusts(options),
    sandbox:
      sandboxSecret === undefined
        ? undefined
        : {
            secrets: () => splitSecrets(sandboxSecret.current()),
            portalUrl: addresses.portal,
          },
    observer: {
      metrics: createBankMetrics(options.metricsRegistry),
      // A gateway in this process writes a line for each call already.
      callLine:
        identity === undefined
          ? createAccessLine({ log, accessLog, message: 'bank call' })
          : undefined,
      pageLine: createAccessLine({ log, accessLog, message: 'bank page' }),
      caughtUp: options.jobs.watch('clockwork of the bank', timerMsMost),
    },
  })
  publisher.prepareWith((catalogue) => backend.prepare(atBank(catalogue)))
  // Its clients are gateways and portals: one address holds the pools of all its processes.
  limitConnections(backend.app.server, settings, () => true)
  limitConnections(backend.sca.server, settings, createNetworks(settings.trustedProxies))
  options.lifetime.opened(() => closeListeners([backend.app, backend.sca], () => backend.close()))
  addresses.bound('backend', await listen(backend.app, 'BACKEND', settings.backend))
  addresses.bound('sca', await listen(backend.sca, 'SCA', sca))
  return options.services === undefined ? [watchOwnDatabase(options), ...keys.probes] : keys.probes
}

/** Gateway and portal detect a PostgreSQL outage themselves; a bank alone does not. */
function watchOwnDatabase(options: BackendRoleOptions): Probe {
  const { database, metricsRegistry, log, lifetime } = options
  const isUp = watchDatabase({ database, log, lifetime, monotonic: () => performance.now() })
  createStoreGauge(metricsRegistry)('bank', isUp)
  createPoolGauges({
    ...databaseGauges,
    registers: [metricsRegistry],
    read: () => [{ labels: {}, load: database.load() }],
  })
  return {
    name: 'database',
    isReady: isUp,
    isRequired: true,
    problem: 'the database does not answer',
  }
}

interface Keys {
  readonly key: JWTVerifyGetKey
  readonly probes: readonly Probe[]
}

function remoteKeys(options: BackendRoleOptions): Keys {
  const { settings, metricsRegistry, log, lifetime } = options
  const keys = createGatewayKeys({
    urls: settings.identityJwksUrls ?? [],
    metricsRegistry,
    log,
    monotonic: () => performance.now(),
  })
  lifetime.opened(() => keys.close())
  return {
    key: keys.key,
    probes: [
      {
        name: 'gateway-keys',
        isReady: keys.isReady,
        isRequired: true,
        problem: 'no gateway has given its public keys',
      },
    ],
  }
}

/** The keys of the gateway in this process, which may change. */
function localKeys({ jwks }: IdentitySigner): Keys {
  let published = jwks()
  let find = createLocalJWKSet(published)
  return {
    key(header, token) {
      if (published !== jwks()) {
        published = jwks()
        find = createLocalJWKSet(published)
      }
      return find(header, token)
    },
    probes: [],
  }
}
