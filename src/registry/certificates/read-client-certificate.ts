import type { CertificateUse } from '../../certificates/certificate.ts'
import { RegistryInputInvalid } from '../registry-errors.ts'

/** What the registry keeps of a certificate, by the names of its columns. */
export interface ClientCertificateFacts {
  readonly thumbprint: string
  readonly signed_digest: string
  readonly subject: string
  readonly issuer: string
  readonly roles: readonly string[]
  readonly authorisation_number: string | null
  readonly valid_from: Date
  readonly valid_until: Date
}

/**
 * Reads a certificate that a developer adds, and checks what its issuer cannot
 * change: its use, its key and its end.
 *
 * @param source PEM or DER
 * @param nowMs milliseconds since 1970
 * @throws {RegistryInputInvalid}
 */
export async function readClientCertificate(
  source: Buffer,
  use: CertificateUse,
  nowMs: number,
): Promise<ClientCertificateFacts> {
  // Loaded here, because most processes never add a certificate, and ASN.1 takes a moment.
  const [certificates, { extensionsOf }, { unfitness }] = await Promise.all([
    import('../../certificates/certificate.ts'),
    import('../../certificates/extensions.ts'),
    import('../../certificates/judge.ts'),
  ])
  const { CertificateUnreadable, oneLine, readCertificate } = certificates
  try {
    const certificate = readCertificate(source)
    const { x509, thumbprint, signedDigest, validFrom, validUntil } = certificate
    const extensions = extensionsOf(certificate)
    const fault = unfitness(certificate, extensions, use)
    if (fault !== undefined) throw invalid(`fit for this use. ${fault}`)
    if (validUntil < nowMs) throw invalid('one that has not expired')
    return {
      thumbprint,
      signed_digest: signedDigest,
      subject: oneLine(x509.subject),
      issuer: oneLine(x509.issuer),
      roles: extensions.psd2?.roles ?? [],
      authorisation_number: extensions.organizationIdentifier ?? null,
      valid_from: new Date(validFrom),
      valid_until: new Date(validUntil),
    }
  } catch (error) {
    if (!(error instanceof CertificateUnreadable)) throw error
    throw invalid('one X.509 certificate, in PEM', error)
  }
}

function invalid(rule: string, cause?: unknown): RegistryInputInvalid {
  return new RegistryInputInvalid('certificate', rule, { cause })
}
