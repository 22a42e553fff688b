import type { ApplicationCertificate } from './certificates.ts'

/**
 * The state of an application's certificate. `pending` is not valid yet; a
 * blocked one is blocked whatever its dates.
 */
export type CertificateState = 'active' | 'pending' | 'expired' | 'blocked'

/** @param nowMs milliseconds since 1970 */
export function certificateState(
  {
    blockedAt,
    validFrom,
    validUntil,
  }: Pick<ApplicationCertificate, 'blockedAt' | 'validFrom' | 'validUntil'>,
  nowMs: number,
): CertificateState {
  if (blockedAt !== null) return 'blocked'
  if (validUntil.getTime() < nowMs) return 'expired'
  return validFrom.getTime() > nowMs ? 'pending' : 'active'
}
