import type { ClientCertificates } from '../gateway/edge/client-certificates.ts'
import { openCertificateRegister } from '../registry/certificates/certificate-register.ts'
import type { Registry } from '../registry/open-registry.ts'
import type { RegistrySchema } from '../registry/schema.ts'
import { createNetworks } from '../platform/http/networks.ts'
import { hasSandbox } from '../platform/settings/sandbox.ts'
import type { Certificates } from './certificates.ts'
import type { Foundation } from './stores.ts'
import { openTrusts } from './trusts.ts'

export interface ClientCertificatesRoleOptions
  extends Pick<Foundation, 'settings' | 'database' | 'log' | 'lifetime'> {
  readonly registry: Registry
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
  const { settings, database, registry, certificates, log, lifetime } = options
  const { gatewayClientCertificates: mode } = settings
  if (mode === 'off') return undefined
  // Loaded here, because ASN.1 takes a moment of a start.
  const { createClientCertificates } = await import('../gateway/edge/client-certificates.ts')
  const trusts = await openTrusts({
    ...{ clientTrust: certificates.clientTrust, log, lifetime },
    // A gateway without BACKEND_URL forwards to the bank beside it.
    registry: hasSandbox(settings, new Set(['backend'])) ? registry : undefined,
  })
  const register = await openCertificateRegister({
    ...{ registry, log, now: Date.now },
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
