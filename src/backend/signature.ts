import { type KeyObject, verify } from 'node:crypto'
import type { Fields } from '../catalogue/contract.ts'
import {
  type Certificate,
  CertificateUnreadable,
  readCertificate,
} from '../certificates/certificate.ts'
import { BankError } from './bank-error.ts'
import { readSealText } from './seal-check.ts'

/** Fields that a signature must cover if the request has them (docs/bank.md, Requests). */
const mustBeSigned = ['digest', 'x-request-id', 'psu-id', 'psu-corporate-id', 'tpp-redirect-uri']

/** Milliseconds by which a signed `Date` may differ from the bank's clock (our choice). */
const dateToleranceMs = 5 * 60_000

export interface SignatureOptions {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Whether the request must have a signature. */
  readonly isRequired: boolean
  /** Thumbprints of the certificates that the caller may sign with if it must sign; undefined: any. */
  readonly seals?: readonly string[] | undefined
}

const sentTogether = 'Must be sent with the signature'
/** For a certificate that the application has not registered. */
const foreignText =
  'This application signs every call (strict), and it does not have this certificate for signing: add it on the portal, under Certificates of the application'
/** For an application that must sign all its calls. */
const strictText =
  'This application signs every call (strict): send Digest, Signature and TPP-Signature-Certificate. To send unsigned calls, switch off "Signed calls only" under Settings of the application on the portal'

/**
 * Checks a `Signature` (draft-cavage-http-signatures) with the certificate in the
 * request. Unless a signature is required, a request with neither passes. An
 * application that must sign uses a certificate that it has registered, so a
 * stolen API key is not enough to sign. For other applications the signature
 * proves only that the request is as its sender signed it. The check ignores the
 * label of the algorithm, because clients in the field write wrong ones.
 *
 * @throws {BankError} 401 CERTIFICATE_MISSING, _INVALID, _EXPIRED, SIGNATURE_MISSING, _INVALID;
 *   400 TIMESTAMP_INVALID for a signed date that is not now
 */
export function checkSignature(
  headers: Fields,
  { now, isRequired, seals }: SignatureOptions,
): void {
  const signature = headers['signature']
  const sent = headers['tpp-signature-certificate']
  if (signature === undefined && sent === undefined && !isRequired) return
  if (typeof sent !== 'string') {
    throw new BankError('CERTIFICATE_MISSING', [
      {
        path: 'TPP-Signature-Certificate',
        text: signature === undefined ? strictText : sentTogether,
      },
    ])
  }
  if (typeof signature !== 'string') {
    throw new BankError('SIGNATURE_MISSING', [
      { path: 'Signature', text: 'Must be sent with the certificate' },
    ])
  }
  const certificate = readSent(sent)
  if (certificate.validUntil < now) {
    throw new BankError('CERTIFICATE_EXPIRED', 'The certificate has expired')
  }
  if (certificate.validFrom > now) {
    throw new BankError('CERTIFICATE_INVALID', 'The certificate is not valid yet')
  }
  if (isRequired && seals?.includes(certificate.thumbprint) === false) {
    throw new BankError('CERTIFICATE_INVALID', [
      { path: 'TPP-Signature-Certificate', text: foreignText },
    ])
  }
  const parameters = readParameters(signature)
  const names = (parameters.get('headers') ?? '').split(' ')
  // Repeating a long field a thousand times would take too much work.
  if (new Set(names).size < names.length) throw invalid('Covers a header twice')
  const isCovered = mustBeSigned.every(
    (name) => names.includes(name) || (name !== 'digest' && headers[name] === undefined),
  )
  if (!isCovered || headers['digest'] === undefined) {
    throw invalid(`Must cover Digest and, of those that are sent: ${mustBeSigned.join(', ')}`)
  }
  const text = names.map((name) => `${name}: ${signedValue(headers, name)}`).join('\n')
  const bytes = Buffer.from(parameters.get('signature') ?? '', 'base64')
  if (!isSignedBy(certificate.x509.publicKey, Buffer.from(text, 'latin1'), bytes)) {
    throw invalid('Does not match the request')
  }
  if (names.includes('date')) checkDate(headers['date'], now)
}

/** A client that signs `Date` expects the bank to reject old requests. */
function checkDate(sent: Fields[string], now: number): void {
  const date = typeof sent === 'string' ? Date.parse(sent) : Number.NaN
  if (Math.abs(date - now) <= dateToleranceMs) return
  throw new BankError('TIMESTAMP_INVALID', [
    { path: 'Date', text: 'Is not within five minutes of now' },
  ])
}

function readSent(text: string): Certificate {
  try {
    return readCertificate(readSealText(text))
  } catch (cause) {
    if (!(cause instanceof CertificateUnreadable)) throw cause
    throw new BankError('CERTIFICATE_INVALID', 'The certificate cannot be read', { cause })
  }
}

function readParameters(signature: string): ReadonlyMap<string, string> {
  const pairs = signature.matchAll(/([a-zA-Z]+)="([^"]*)"/g)
  return new Map([...pairs].map(([, name = '', value = '']) => [name, value]))
}

function signedValue(headers: Fields, name: string): string {
  const value = headers[name]
  if (typeof value !== 'string') throw invalid('Covers a header that was not sent')
  return value
}

/** The kind of key determines the digest; for RSA, both usual digests are valid. */
function isSignedBy(key: KeyObject, text: Buffer, signature: Buffer): boolean {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return verify('sha256', text, key, signature) || verify('sha512', text, key, signature)
    case 'ec':
      return verify('sha256', text, key, signature)
    case 'ed25519':
      return verify(null, text, key, signature)
    default:
      return false
  }
}

function invalid(text: string): BankError {
  return new BankError('SIGNATURE_INVALID', [{ path: 'Signature', text }])
}
