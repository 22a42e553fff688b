import type { Operation } from '../catalogue/catalogue.ts'
import { CertificateUnreadable, readCertificate } from '../certificates/certificate.ts'
import type { Trust } from '../certificates/trust.ts'
import { BankError } from './bank-error.ts'

/** The issuers of signing certificates. */
export interface SealAuthorities {
  /** With the lists of revoked certificates. Empty: no issuer is listed. */
  readonly trusts: readonly Trust[]
  /** Whether the operator has named the authorities. If so, certificates of other issuers are not valid. */
  readonly areNamed: boolean
}

export type SealTrusts = () => Promise<SealAuthorities>

/**
 * Checks a signing certificate against its issuer: it must not be revoked and must have
 * the PSD2 role of the operation. Applies only to strict applications. If the
 * operator has named authorities, rejects a certificate of any other issuer or
 * for another use (RFC 5280; ETSI TS 119 495). Otherwise, as in a sandbox, such a
 * certificate passes: `signature.ts` checks that the application has registered it.
 *
 * @throws {BankError} 401 CERTIFICATE_INVALID, _REVOKED, ROLE_INVALID; 503 SERVICE_UNAVAILABLE without a current list
 */
export async function checkSeal(
  sent: unknown,
  options: {
    readonly trusts: SealTrusts
    readonly operation: Pick<Operation, 'psd2Role'>
    /** Milliseconds since 1970. */
    readonly now: number
  },
): Promise<void> {
  const { trusts: find, operation, now } = options
  const { trusts, areNamed } = await find()
  const certificate = typeof sent === 'string' ? read(sent) : undefined
  if (trusts.length === 0 || certificate === undefined) return
  // Loaded for the first signed call, because ASN.1 would slow down every start.
  const { judgeCertificate } = await import('../certificates/judge.ts')
  const verdict = judgeCertificate({
    certificate,
    trusts,
    intermediates: [],
    use: 'signing',
    nowMs: now,
  })
  switch (verdict.outcome) {
    case 'revoked':
      throw refusal('CERTIFICATE_REVOKED', verdict.reason)
    case 'unchecked':
      throw new BankError('SERVICE_UNAVAILABLE', verdict.reason)
    case 'expired':
      // `signature.ts` rejects it with its own code.
      return
    case 'invalid':
      if (areNamed) throw refusal('CERTIFICATE_INVALID', verdict.reason)
      return
    case 'valid':
      checkRole(verdict.extensions.psd2?.roles ?? [], operation)
  }
}

function checkRole(roles: readonly string[], { psd2Role }: Pick<Operation, 'psd2Role'>): void {
  if (psd2Role === undefined || roles.includes(psd2Role)) return
  throw refusal(
    'ROLE_INVALID',
    `This operation needs the role ${psd2Role}; the certificate has ${roles.join(', ') || 'none'}`,
  )
}

function refusal(
  code: 'CERTIFICATE_INVALID' | 'CERTIFICATE_REVOKED' | 'ROLE_INVALID',
  text: string,
): BankError {
  return new BankError(code, [{ path: 'TPP-Signature-Certificate', text }])
}

/** Undefined for a text that `signature.ts` rejects. */
function read(text: string) {
  try {
    return readCertificate(readSealText(text))
  } catch (error) {
    if (error instanceof CertificateUnreadable) return undefined
    throw error
  }
}

/** The octets of `TPP-Signature-Certificate`: base64 of DER, with or without the armour of PEM. */
export function readSealText(text: string): Buffer {
  return Buffer.from(text.replace(/-----(BEGIN|END) CERTIFICATE-----/g, ''), 'base64')
}
