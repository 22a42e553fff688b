// This folder reads and judges X.509 certificates: those of clients at the gateway and those that sign requests at the
// bank. Read `judge.ts` first: it says in which order a certificate is judged. `certificate.ts` and `extensions.ts`
// read one, `psd2-statement.ts` its PSD2 roles, `revocation-list.ts` a CRL, and `trust.ts` what the operator
// trusts. `make.ts` makes certificates for the sandbox. OpenSSL (`node:crypto`) checks all signatures,
// pkijs reads and writes ASN.1. Nothing here knows applications, calls or HTTP.

import { createHash, X509Certificate } from 'node:crypto'
import { readDer } from './der.ts'

/** What a certificate may be used for: the TLS connection (a QWAC), or signing requests (a QSealC). */
export const certificateUses = ['tls', 'signing'] as const
export type CertificateUse = (typeof certificateUses)[number]

/** One X.509 certificate. Nothing in it is verified, and no peer has proven to hold its key. */
export interface Certificate {
  /** OpenSSL's view: names, dates, public key, signature. */
  readonly x509: X509Certificate
  /** SHA-256 of the DER in base64url, 43 characters, as `x5t#S256` has it (RFC 8705, 3.1). */
  readonly thumbprint: string
  /**
   * SHA-256 of what the authority signed (tbsCertificate), as base64url. Unlike
   * the thumbprint, the holder cannot change it: anyone with an ECDSA signature
   * (r, s) can compute another valid one, (r, n − s).
   */
  readonly signedDigest: string
  /** Milliseconds since 1970, both inclusive (RFC 5280, 4.1.2.5). */
  readonly validFrom: number
  readonly validUntil: number
}

/** The text or the octets are not a certificate. */
export class CertificateUnreadable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CertificateUnreadable'
  }
}

/** Longest certificate that is read, in octets (our choice). Real ones have about 2,000. */
export const certificateBytesMax = 12_288

/**
 * Reads one certificate in DER, or in PEM with nothing else around it.
 *
 * @throws {CertificateUnreadable}
 */
export function readCertificate(source: Buffer): Certificate {
  if (source.length > certificateBytesMax) {
    throw new CertificateUnreadable(`has more than ${certificateBytesMax} octets`)
  }
  try {
    const x509 = new X509Certificate(source)
    // Reading the key may throw: its algorithm may be unknown.
    void x509.publicKey
    // OpenSSL ignores text around a certificate, a private key for example.
    const isAlone = isPem(source)
      ? onlyPem.test(source.toString('latin1'))
      : x509.raw.length === source.length
    if (!isAlone) throw new CertificateUnreadable('has something else around it')
    const validFrom = x509.validFromDate.getTime()
    const validUntil = x509.validToDate.getTime()
    if (Number.isNaN(validFrom) || Number.isNaN(validUntil)) {
      throw new CertificateUnreadable('has no readable dates')
    }
    const thumbprint = Buffer.from(x509.fingerprint256.replaceAll(':', ''), 'hex')
    return {
      x509,
      thumbprint: thumbprint.toString('base64url'),
      signedDigest: digestOfSigned(x509.raw),
      validFrom,
      validUntil,
    }
  } catch (cause) {
    if (cause instanceof CertificateUnreadable) throw cause
    throw new CertificateUnreadable('is not a certificate that OpenSSL can read', { cause })
  }
}

/** Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signature } (RFC 5280, 4.1) */
function digestOfSigned(der: Buffer): string {
  const { content, end } = readDer(der, 0, der.length)
  const signed = readDer(der, content, end)
  return createHash('sha256').update(der.subarray(signed.start, signed.end)).digest('base64url')
}

const onlyPem = /^-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*$/
const pemPattern = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

/**
 * Reads the certificates of a PEM file, in order. Other text between them is a
 * comment (RFC 7468, 2).
 *
 * @throws {CertificateUnreadable} naming the place of the unreadable certificate
 */
export function readCertificates(pem: string): Certificate[] {
  return [...pem.matchAll(pemPattern)].map(([text], index) => {
    try {
      return readCertificate(Buffer.from(text))
    } catch (error) {
      if (!(error instanceof CertificateUnreadable)) throw error
      throw new CertificateUnreadable(`certificate ${index + 1} ${error.message}`, { cause: error })
    }
  })
}

/** A distinguished name on one line, most specific part last, as the certificate orders it. */
export function oneLine(name: string): string {
  return name.replaceAll('\n', ', ')
}

function isPem(source: Buffer): boolean {
  return source.subarray(0, 11).toString('latin1') === '-----BEGIN '
}
