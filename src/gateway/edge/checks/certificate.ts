import type { Refusal } from '../../../platform/http/problem.ts'
import type { CertifiedCall, FramedCall } from '../call.ts'
import { certificateChallenge } from '../certificate-challenge.ts'
import type { ClientCertificate, ClientCertificates } from '../client-certificates.ts'
import type { Check } from '../run-checks.ts'

export interface CertificateOptions {
  /** Undefined: the settings ask for no certificates. */
  readonly certificates: Pick<ClientCertificates, 'isRequired' | 'judge'> | undefined
}

/** For a call without a certificate that needs one. */
export const certificateMissing: Refusal = {
  code: 'CLIENT_CERTIFICATE_MISSING',
  detail:
    'Connect with the client certificate (QWAC) that your application has added on the portal.',
  headers: certificateChallenge,
}

/**
 * Judges the client's certificate, before any look-up of its key: where it
 * comes from, its chain, its dates, whether it is revoked or blocked, and
 * whether it has the role that the operation's document asks for.
 */
export function certificate({
  certificates,
}: CertificateOptions): Check<FramedCall, CertifiedCall> {
  return (call, next) => {
    if (certificates === undefined) {
      next(call.certified(undefined))
      return
    }
    const judged = certificates.judge(call.request, call.fields)
    if (judged === undefined)
      next(certificates.isRequired ? certificateMissing : call.certified(undefined))
    else if ('code' in judged) next(judged)
    else next(wrongRole(call, judged) ?? call.certified(judged))
  }
}

function wrongRole(
  { operation: { psd2Role } }: FramedCall,
  { roles }: ClientCertificate,
): Refusal | undefined {
  if (psd2Role === undefined || roles.includes(psd2Role)) return undefined
  const has = roles.length === 0 ? 'no PSD2 role' : `the PSD2 roles ${roles.join(', ')}`
  return {
    code: 'CLIENT_ROLE_INVALID',
    detail: `This operation needs the role ${psd2Role}. Your certificate has ${has}.`,
    members: { role: psd2Role },
  }
}
