import type { SealTrusts } from '../backend/seal-check.ts'
import type { Certificates } from './certificates.ts'
import type { LiveSecret } from './live-secrets.ts'
import type { SandboxPlace } from './sandbox-trust.ts'
import type { Foundation } from './stores.ts'
import { openTrusts } from './trusts.ts'

export interface SealTrustsOptions extends Pick<Foundation, 'database' | 'log' | 'lifetime'> {
  readonly certificates: Pick<Certificates, 'clientTrust'>
  /** Undefined: gateway and portal run elsewhere. */
  readonly services: Pick<SandboxPlace, 'registry' | 'peppers'> | undefined
  /** Undefined: no sandbox. */
  readonly sandboxSecret: LiveSecret | undefined
}

/**
 * Finds the authorities of signing certificates: those of the operator's files,
 * and that of the sandbox if this process has its registry. It opens the latter
 * with the first call that asks, because most banks never see a signed one.
 */
export function createSealTrusts(options: SealTrustsOptions): SealTrusts {
  const { certificates, services, database, log, lifetime } = options
  const hasAuthority = options.sandboxSecret !== undefined && services !== undefined
  let opening: ReturnType<typeof openTrusts> | undefined
  return async () => {
    opening ??= openTrusts({
      clientTrust: certificates.clientTrust,
      log,
      lifetime,
      sandbox: hasAuthority ? { ...services, database } : undefined,
    })
    try {
      const trusts = (await opening)()
      return { trusts, areNamed: certificates.clientTrust !== undefined }
    } catch (error) {
      // The next call tries again.
      opening = undefined
      throw error
    }
  }
}
