import type { KeyObject } from 'node:crypto'
import * as asn1js from 'asn1js'
import { CertificateRevocationList } from 'pkijs'
import { scanRevocationList } from './revoked-serials.ts'
import { isSigned, readScheme } from './signature-scheme.ts'

/** A certificate revocation list (RFC 5280, 5). Nothing in it holds before its signature is checked. */
export interface RevocationList {
  /** DER of the issuer's name. */
  readonly issuerName: Buffer
  /** Its name and the identifier of its key, the same for all lists that take each other's place. */
  readonly issuer: string
  /** Milliseconds since 1970. */
  readonly thisUpdate: number
  /** The latest time for a newer list; after it, this list is no longer valid. */
  readonly nextUpdate: number
  /** Number of revoked certificates. */
  readonly size: number
  /** @param serial in hexadecimal, as OpenSSL writes it */
  has(serial: string): boolean
  isSignedBy(key: KeyObject): boolean
}

/** The text or the octets are not a list that can be used. */
export class RevocationListUnusable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'RevocationListUnusable'
  }
}

const pemPattern = /-----BEGIN X509 CRL-----([A-Za-z0-9+/=\s]+)-----END X509 CRL-----/g

/**
 * Reads the lists of a file: one in DER, or any number in PEM.
 *
 * @throws {RevocationListUnusable} naming the place of the unusable list
 */
export function readRevocationLists(source: Buffer): RevocationList[] {
  // DER begins with a SEQUENCE.
  const isDer = source[0] === 0x30
  const texts = [...source.toString('latin1').matchAll(pemPattern)]
  const sources = isDer ? [source] : texts.map(([, base64 = '']) => Buffer.from(base64, 'base64'))
  return sources.map((der, index) => {
    try {
      return readRevocationList(der)
    } catch (error) {
      if (!(error instanceof RevocationListUnusable)) throw error
      const message = `revocation list ${index + 1} ${error.message}`
      throw new RevocationListUnusable(message, { cause: error })
    }
  })
}

const keyIdentifierId = '2.5.29.35'

/** Entry extensions that change nothing about which certificate is revoked: reason and invalidity date. */
const harmlessEntries: ReadonlySet<string> = new Set(['2.5.29.21', '2.5.29.24'])

/** @throws {RevocationListUnusable} */
export function readRevocationList(der: Buffer): RevocationList {
  const { list, signed, serials, criticalIds } = parse(der)
  const scheme = readScheme(list.signatureAlgorithm)
  if (scheme === undefined || !list.signature.isEqual(list.signatureAlgorithm)) {
    throw new RevocationListUnusable('is signed with an algorithm that is not accepted')
  }
  if (list.nextUpdate === undefined) {
    throw new RevocationListUnusable('does not say when the next list is due (nextUpdate)')
  }
  // A list of only some certificates, or of changes, would make a revoked certificate look good (RFC 5280, 5.2).
  const critical = list.crlExtensions?.extensions.find((extension) => extension.critical)
  if (critical !== undefined) {
    throw new RevocationListUnusable(
      `has the critical extension ${critical.extnID}: use a complete list of one issuer`,
    )
  }
  for (const id of criticalIds) {
    if (harmlessEntries.has(id)) continue
    throw new RevocationListUnusable(`has an entry with the critical extension ${id}`)
  }
  const revoked = new Set([...serials].map(plainSerial))
  const signature = Buffer.from(list.signatureValue.valueBlock.valueHexView)
  const issuerName = Buffer.from(list.issuer.valueBeforeDecode)
  const key = list.crlExtensions?.extensions.find(({ extnID }) => extnID === keyIdentifierId)
  const keyOctets = key === undefined ? [] : key.extnValue.valueBlock.valueHexView
  return {
    issuerName,
    issuer: `${issuerName.toString('hex')} ${Buffer.from(keyOctets).toString('hex')}`,
    thisUpdate: list.thisUpdate.value.getTime(),
    nextUpdate: list.nextUpdate.value.getTime(),
    size: revoked.size,
    has: (serial) => revoked.has(plainSerial(serial)),
    isSignedBy: (key) => isSigned(signed, signature, scheme, key),
  }
}

function parse(der: Buffer) {
  try {
    const scanned = scanRevocationList(der)
    const { result } = asn1js.fromBER(scanned.withoutEntries)
    return { ...scanned, list: new CertificateRevocationList({ schema: result }) }
  } catch (cause) {
    throw new RevocationListUnusable('is not a certificate revocation list', { cause })
  }
}

/** OpenSSL and DER differ in leading zeros and in case. */
function plainSerial(hex: string): string {
  return hex.toLowerCase().replace(/^0+(?=.)/, '')
}
