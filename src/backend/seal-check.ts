import type { Operation } from '../catalogue/catalogue.ts'
import { CertificateUnreadable, readCertificate } from '../certificates/certificate.ts'
import type { Trust } from '../certificates/trust.ts'
import { BankError } from './bank-error.ts'

/** Who issues certificates for signing. */
export interface SealAuthorities {
  /** With what they revoked. Empty: none is known. */
  readonly trusts: readonly Trust[]
  /** Whether the operator has named the authorities: then no other issuer counts. */
  readonly areNamed: boolean
}

export type SealTrusts = () => Promise<SealAuthorities>

/**
 * Checks what the issuer of a signing certificate says: that it is not revoked,
 * and that it has the PSD2 role of the operation. Only for strict applications.
 * Where the operator has named authorities, a certificate of any other issuer is
 * refused, as is one for another use (RFC 5280; ETSI TS 119 495). Otherwise, as
 * in a sandbox, such a certificate passes: the application has registered it, and
 * `signature.ts` checks that.
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
  // Loaded for the first signed call, because ASN.1 takes a moment of a start.
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
      // Has a code of its own, with that of `signature.ts`.
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

/** Undefined for what `signature.ts` refuses. */
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
