import type { ClientCertificates } from '../gateway/edge/client-certificates.ts'
import { createNetworks } from '../platform/http/networks.ts'
import { hasSandbox } from '../platform/settings/sandbox.ts'
import { openCertificateRegister } from '../registry/certificates/certificate-register.ts'
import type { Peppers } from '../registry/keys/key-mac.ts'
import type { Registry } from '../registry/open-registry.ts'
import type { RegistrySchema } from '../registry/schema.ts'
import type { Certificates } from './certificates.ts'
import type { Foundation } from './stores.ts'
import { openTrusts } from './trusts.ts'

export interface ClientCertificatesRoleOptions
  extends Pick<Foundation, 'settings' | 'database' | 'log' | 'lifetime'> {
  readonly registry: Registry
  readonly peppers: Peppers
  readonly certificates: Pick<Certificates, 'clientTrust'>
}

/**
 * Opens what judges client certificates.
 *
 * @returns undefined when the settings ask for no certificates
 */
export async function openClientCertificates(
  options: ClientCertificatesRoleOptions,
): Promise<ClientCertificates | undefined> {
  const { settings, database, registry, peppers, certificates, log, lifetime } = options
  const { gatewayClientCertificates: mode } = settings
  if (mode === 'off') return undefined
  // Loaded here, because ASN.1 takes a moment of a start.
  const { createClientCertificates } = await import('../gateway/edge/client-certificates.ts')
  const trusts = await openTrusts({
    clientTrust: certificates.clientTrust,
    log,
    lifetime,
    // A gateway without BACKEND_URL forwards to the bank beside it.
    sandbox: hasSandbox(settings, new Set(['backend']))
      ? { database, registry, peppers }
      : undefined,
  })
  const register = await openCertificateRegister({
    registry,
    log,
    now: Date.now,
    db: database.connect<RegistrySchema>(),
  })
  lifetime.opened(() => register.close())
  return createClientCertificates({
    isRequired: mode === 'required',
    trusts,
    register,
    isProxy: createNetworks(settings.clientCertificateProxies),
    now: Date.now,
  })
}
