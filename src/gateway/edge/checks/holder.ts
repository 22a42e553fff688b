import type { Refusal } from '../../../platform/http/problem.ts'
import type { AuthenticatedCall, BoundCall } from '../call.ts'
import { certificateChallenge } from '../certificate-challenge.ts'
import type { ClientCertificates } from '../client-certificates.ts'
import type { Check } from '../run-checks.ts'
import { certificateMissing } from './certificate.ts'

export interface HolderOptions {
  /** Undefined: the settings ask for no certificates. */
  readonly certificates: Pick<ClientCertificates, 'noteUse'> | undefined
}

const foreign: Refusal = {
  code: 'CLIENT_CERTIFICATE_INVALID',
  detail:
    'The application of this key does not have this client certificate. Add the certificate to the application on the portal, or use the key of the application that has it.',
  headers: certificateChallenge,
}

/**
 * Refuses a key over the certificate of another application, and one without a
 * certificate if its application has any: a stolen key alone is worth nothing.
 */
export function holder({ certificates }: HolderOptions): Check<AuthenticatedCall, BoundCall> {
  return (call, next) => {
    if (call.certificate === undefined) {
      const isNeeded = certificates !== undefined && call.caller.certificates.size > 0
      next(isNeeded ? certificateMissing : call.bound())
      return
    }
    const id = call.caller.certificates.get(call.certificate.thumbprint)
    if (id === undefined) {
      next(foreign)
      return
    }
    certificates?.noteUse(id)
    next(call.bound())
  }
}
