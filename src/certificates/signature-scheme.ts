import { constants, type KeyObject, verify } from 'node:crypto'
import type * as asn1js from 'asn1js'
import { type AlgorithmIdentifier, RSASSAPSSParams } from 'pkijs'

/** How a certificate or CRL is signed. */
export interface SignatureScheme {
  /** Null: the algorithm has its own (EdDSA). */
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null
  /** Octets of salt; undefined unless RSASSA-PSS. */
  readonly saltLength?: number
}

/**
 * Accepted algorithms (RFC 8017, 5758, 8410) by object identifier. MD5 and
 * SHA-1 are missing, because others can forge their signatures.
 */
const schemes: ReadonlyMap<string, SignatureScheme> = new Map([
  ['1.2.840.113549.1.1.11', { hash: 'sha256' }],
  ['1.2.840.113549.1.1.12', { hash: 'sha384' }],
  ['1.2.840.113549.1.1.13', { hash: 'sha512' }],
  ['1.2.840.10045.4.3.2', { hash: 'sha256' }],
  ['1.2.840.10045.4.3.3', { hash: 'sha384' }],
  ['1.2.840.10045.4.3.4', { hash: 'sha512' }],
  ['1.3.101.112', { hash: null }],
  ['1.3.101.113', { hash: null }],
])

const pssId = '1.2.840.113549.1.1.10'
const pssHashes: ReadonlyMap<string, 'sha256' | 'sha384' | 'sha512'> = new Map([
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
])

/** Reads an AlgorithmIdentifier; undefined for one that is not accepted. */
export function readScheme(algorithm: AlgorithmIdentifier): SignatureScheme | undefined {
  if (algorithm.algorithmId !== pssId) return schemes.get(algorithm.algorithmId)
  const given: asn1js.AsnType | undefined = algorithm.algorithmParams
  if (given === undefined) return undefined
  const { hashAlgorithm, saltLength } = new RSASSAPSSParams({ schema: given })
  const hash = pssHashes.get(hashAlgorithm.algorithmId)
  return hash && { hash, saltLength }
}

/** At least 112 bits of security (NIST SP 800-57), and a bound on the work of a signature check (our choice). */
const rsaBitsMin = 2048
const rsaBitsMax = 8192
const curves: ReadonlySet<string> = new Set([
  'prime256v1',
  'secp384r1',
  'secp521r1',
  'brainpoolP256r1',
  'brainpoolP384r1',
  'brainpoolP512r1',
])

/** Whether a key is of an accepted kind and strength. */
export function isStrong(key: KeyObject): boolean {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {}
  switch (key.asymmetricKeyType) {
    case 'rsa':
    case 'rsa-pss':
      return modulusLength >= rsaBitsMin && modulusLength <= rsaBitsMax
    case 'ec':
      return curves.has(namedCurve)
    case 'ed25519':
    case 'ed448':
      return true
    default:
      return false
  }
}

/** Whether the holder of the key signed these octets. */
export function isSigned(
  octets: Buffer,
  signature: Buffer,
  { hash, saltLength }: SignatureScheme,
  key: KeyObject,
): boolean {
  try {
    const padding =
      saltLength === undefined ? {} : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }
    return verify(hash, octets, { key, ...padding }, signature)
  } catch {
    // The key is of another kind than the algorithm.
    return false
  }
}
