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
    const text = signature === undefined ? strictText : 'Must be sent with the signature'
    throw new BankError('CERTIFICATE_MISSING', [{ path: 'TPP-Signature-Certificate', text }])
  }
  if (typeof signature !== 'string') {
    const text = 'Must be sent with the certificate'
    throw new BankError('SIGNATURE_MISSING', [{ path: 'Signature', text }])
  }
  const certificate = readValid(sent, now)
  if (isRequired && seals?.includes(certificate.thumbprint) === false) {
    throw new BankError('CERTIFICATE_INVALID', [
      { path: 'TPP-Signature-Certificate', text: foreignText },
    ])
  }
  const parameters = readParameters(signature)
  checkSigned(headers, parameters, certificate)
  if (parameters.names.includes('date')) checkDate(headers['date'], now)
}

/** Checks that the signature covers what it must, and that the certificate's key made it of the request's fields. */
function checkSigned(
  headers: Fields,
  { names, octets }: SignatureParameters,
  { x509 }: Certificate,
): void {
  // Repeating a long field a thousand times would take too much work.
  if (new Set(names).size < names.length) throw invalid('Covers a header twice')
  const isCovered = mustBeSigned.every(
    (name) => names.includes(name) || (name !== 'digest' && headers[name] === undefined),
  )
  if (!isCovered || headers['digest'] === undefined) {
    throw invalid(`Must cover Digest and, of those that are sent: ${mustBeSigned.join(', ')}`)
  }
  const text = names.map((name) => `${name}: ${signedValue(headers, name)}`).join('\n')
  if (!isSignedBy(x509.publicKey, Buffer.from(text, 'latin1'), octets)) {
    throw invalid('Does not match the request')
  }
}

/** A client that signs `Date` expects the bank to reject old requests. */
function checkDate(sent: Fields[string], now: number): void {
  const date = typeof sent === 'string' ? Date.parse(sent) : Number.NaN
  if (Math.abs(date - now) <= dateToleranceMs) return
  throw new BankError('TIMESTAMP_INVALID', [
    { path: 'Date', text: 'Is not within five minutes of now' },
  ])
}

/** Reads the certificate that was sent, and checks that it is valid now. */
function readValid(sent: string, now: number): Certificate {
  const certificate = readSent(sent)
  if (certificate.validUntil < now) {
    throw new BankError('CERTIFICATE_EXPIRED', 'The certificate has expired')
  }
  if (certificate.validFrom > now) {
    throw new BankError('CERTIFICATE_INVALID', 'The certificate is not valid yet')
  }
  return certificate
}

function readSent(sent: string): Certificate {
  try {
    return readCertificate(readSealText(sent))
  } catch (cause) {
    if (!(cause instanceof CertificateUnreadable)) throw cause
    throw new BankError('CERTIFICATE_INVALID', 'The certificate cannot be read', { cause })
  }
}

interface SignatureParameters {
  /** Names of the fields that the signature covers, in its order. */
  readonly names: readonly string[]
  readonly octets: Buffer
}

function readParameters(signature: string): SignatureParameters {
  const pairs = signature.matchAll(/([a-zA-Z]+)="([^"]*)"/g)
  const values = new Map([...pairs].map(([, name = '', value = '']) => [name, value]))
  return {
    names: (values.get('headers') ?? '').split(' '),
    octets: Buffer.from(values.get('signature') ?? '', 'base64'),
  }
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
