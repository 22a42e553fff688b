import type { Operation } from '../catalogue/catalogue.ts'
import { CertificateUnreadable, readCertificate } from '../certificates/certificate.ts'
import type { Trust } from '../certificates/trust.ts'
import { BankError } from './bank-error.ts'

/** The authorities that issue certificates for signing, and what they revoked. Empty: none is known. */
export type SealTrusts = () => Promise<readonly Trust[]>

/**
 * Checks what the issuer of a signing certificate says: that it is not revoked,
 * and that it has the PSD2 role of the operation. Only for strict applications.
 * A certificate of an unknown issuer passes: the application has registered it,
 * and `signature.ts` checks that.
 *
 * @throws {BankError} 401 CERTIFICATE_REVOKED, ROLE_INVALID; 503 SERVICE_UNAVAILABLE without a current list
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
  const trusts = await find()
  const certificate = typeof sent === 'string' ? read(sent) : undefined
  if (trusts.length === 0 || certificate === undefined) return
  // Loaded for the first signed call, because ASN.1 takes a moment of a start.
  const { judgeCertificate } = await import('../certificates/judge.ts')
  const verdict = judgeCertificate({
    ...{ certificate, trusts, intermediates: [], use: 'signing', nowMs: now },
  })
  if (verdict.outcome === 'revoked') {
    throw new BankError('CERTIFICATE_REVOKED', [
      { path: 'TPP-Signature-Certificate', text: verdict.reason },
    ])
  }
  if (verdict.outcome === 'unchecked') throw new BankError('SERVICE_UNAVAILABLE', verdict.reason)
  const { psd2Role } = operation
  if (verdict.outcome !== 'valid' || psd2Role === undefined) return
  const { roles = [] } = verdict.extensions.psd2 ?? {}
  if (roles.includes(psd2Role)) return
  throw new BankError('ROLE_INVALID', [
    {
      path: 'TPP-Signature-Certificate',
      text: `This operation needs the role ${psd2Role}; the certificate has ${roles.join(', ') || 'none'}`,
    },
  ])
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
