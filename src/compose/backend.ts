import { createLocalJWKSet, createRemoteJWKSet, type JWTVerifyGetKey } from 'jose'
import { createBackend } from '../backend/create-backend.ts'
import { seedSandbox } from '../backend/sandbox/seed.ts'
import { bankMigrations } from '../backend/stores/migrations/index.ts'
import type { Brand } from '../catalogue/brand/brand.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { IdentitySigner } from '../gateway/edge/forward/identity.ts'
import { limitConnections } from '../platform/connection-limits.ts'
import { freePort } from '../platform/free-port.ts'
import { closeListeners, listen, origin } from '../platform/listen.ts'
import { migrate } from '../platform/migrate.ts'
import { createNetworks } from '../platform/networks.ts'
import type { Settings } from '../platform/settings.ts'
import type { Addresses } from './addresses.ts'
import { createSealTrusts } from './seal-trusts.ts'
import type { Services } from './services.ts'
import type { ListenerFoundation } from './stores.ts'

export interface BackendRoleOptions extends ListenerFoundation {
  readonly catalogue: Catalogue
  /** The current brand. */
  readonly brand: () => Brand
  readonly addresses: Addresses
  /** The signer of the gateway in this process; undefined: its keys are at IDENTITY_JWKS_URL. */
  readonly identity: IdentitySigner | undefined
  /** Undefined: gateway and portal run elsewhere. */
  readonly registry: Services['registry'] | undefined
  /** Shared with the portal; undefined: no sandbox. */
  readonly sandboxSecret: string | undefined
}

/**
 * Starts the backend role: tables, sandbox, both listeners.
 *
 * @throws when documents and handlers differ, the database fails or a port is in use
 */
export async function startBackend(options: BackendRoleOptions): Promise<void> {
  const { settings, catalogue, database, identity, addresses, sandboxSecret, log } = options
  const timeZone = settings.bankTimeZone
  await migrate(database, { name: 'bank', migrations: bankMigrations })
  await seedSandbox({ database, now: Date.now, timeZone })
  // The pages' address stands in links, so it must be known before anything listens.
  const sca = { ...settings.sca, port: await freePort(settings.sca) }
  const key = identity === undefined ? remoteKeys(settings) : createLocalJWKSet(identity.jwks)
  const backend = await createBackend({
    tls: { backend: options.certificates.backend, sca: options.certificates.sca },
    catalogue,
    brand: options.brand,
    database,
    identity: { key, audience: settings.identityAudience },
    log,
    now: Date.now,
    timeZone,
    scaPublicUrl: settings.scaPublicUrl ?? origin(sca),
    sealTrusts: createSealTrusts(options),
    sandbox:
      sandboxSecret === undefined
        ? undefined
        : { secret: sandboxSecret, portalUrl: addresses.portal },
  })
  // Its clients are gateways and portals: one address holds the pools of all its processes.
  limitConnections(backend.app.server, settings, () => true)
  limitConnections(backend.sca.server, settings, createNetworks(settings.trustedProxies))
  options.lifetime.opened(() => closeListeners([backend.app, backend.sca], () => backend.close()))
  addresses.bound('backend', await listen(backend.app, 'BACKEND', settings.backend))
  addresses.bound('sca', await listen(backend.sca, 'SCA', sca))
}

function remoteKeys({ identityJwksUrl }: Settings): JWTVerifyGetKey {
  if (identityJwksUrl === undefined) throw new Error('no address of the public keys')
  return createRemoteJWKSet(new URL(identityJwksUrl))
}
