import type { JWTVerifyGetKey } from 'jose'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Database } from '../platform/database.ts'
import { freePort } from '../platform/free-port.ts'
import type { Lifetime } from '../platform/lifetime.ts'
import { closeListeners, listen, origin } from '../platform/listen.ts'
import type { Logger } from '../platform/log.ts'
import { migrate } from '../platform/migrate.ts'
import type { Settings } from '../platform/settings.ts'
import { createBackend, type SandboxOptions } from './create-backend.ts'
import { seedSandbox } from './sandbox/seed.ts'
import { bankMigrations } from './stores/migrations/index.ts'

export interface BackendRoleOptions {
  readonly settings: Settings
  readonly catalogue: Catalogue
  readonly database: Database
  /** Finds the gateway's public key. */
  readonly key: JWTVerifyGetKey
  readonly log: Logger
  readonly lifetime: Lifetime
  /** Undefined: no sandbox. */
  readonly sandbox: SandboxOptions | undefined
}

/**
 * Starts the backend role: tables, sandbox, both listeners.
 *
 * @returns the origins of its listeners
 * @throws when documents and handlers differ, the database fails or a port is in use
 */
export async function startBackend(
  options: BackendRoleOptions,
): Promise<{ readonly backend: string; readonly sca: string }> {
  const { settings, catalogue, database, key, log, lifetime, sandbox } = options
  await migrate(database, { name: 'bank', migrations: bankMigrations })
  await seedSandbox({ database, now: Date.now, timeZone: settings.bankTimeZone })
  // The pages' address stands in links, so it must be known before anything listens.
  const sca = { ...settings.sca, port: await freePort(settings.sca) }
  const backend = await createBackend({
    catalogue,
    database,
    identity: { key, audience: settings.identityAudience },
    log,
    now: Date.now,
    timeZone: settings.bankTimeZone,
    scaPublicUrl: settings.scaPublicUrl ?? origin(sca),
    sandbox,
  })
  lifetime.opened(() => closeListeners([backend.app, backend.sca], () => backend.close()))
  return {
    backend: await listen(backend.app, 'BACKEND', settings.backend),
    sca: await listen(backend.sca, 'SCA', sca),
  }
}
