import type { SealTrusts } from '../backend/seal-check.ts'
import type { BackendRoleOptions } from './backend.ts'
import { openTrusts } from './trusts.ts'

/**
 * Finds the authorities of signing certificates: those of the operator's files,
 * and that of the sandbox if this process has its registry. It opens the latter
 * with the first call that asks, because most banks never see a signed one.
 */
export function createSealTrusts({
  certificates,
  registry,
  sandboxSecret,
  log,
  lifetime,
}: Pick<
  BackendRoleOptions,
  'certificates' | 'registry' | 'sandboxSecret' | 'log' | 'lifetime'
>): SealTrusts {
  let opening: ReturnType<typeof openTrusts> | undefined
  return async () => {
    opening ??= openTrusts({
      ...{ clientTrust: certificates.clientTrust, log, lifetime },
      registry: sandboxSecret === undefined ? undefined : registry,
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
