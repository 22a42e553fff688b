import * as asn1js from 'asn1js'
import { Certificate as Asn1Certificate, type Extension } from 'pkijs'
import { type Certificate, CertificateUnreadable, type CertificateUse } from './certificate.ts'
import { type Psd2Statement, psd2StatementId, readPsd2Statement } from './psd2-statement.ts'
import { readScheme, type SignatureScheme } from './signature-scheme.ts'

/** What a certificate says beyond names, dates and key. */
export interface Extensions {
  /** Whether it may issue certificates (basicConstraints). */
  readonly isAuthority: boolean
  /** How many further authorities may follow it in a chain; undefined: any number. */
  readonly pathLength: number | undefined
  /** Whether it limits the names of certificates below it (RFC 5280, 4.2.1.10). */
  readonly hasNameConstraints: boolean
  /** Undefined: not restricted. */
  readonly keyUsage: ReadonlySet<KeyUsage> | undefined
  /** Object identifiers; undefined: not restricted. */
  readonly extendedKeyUsage: readonly string[] | undefined
  /** What the qualified certificate is for (ETSI EN 319 412-5, 4.2.3); undefined: it does not say. */
  readonly qualifiedFor: readonly (CertificateUse | 'other')[] | undefined
  /** Undefined: it has none, or one that cannot be read. */
  readonly psd2: Psd2Statement | undefined
  /**
   * The subject's organizationIdentifier (2.5.4.97), without control and hidden
   * characters: the authorisation number, `PSDPL-PFSA-1234567890`.
   */
  readonly organizationIdentifier: string | undefined
  /** Object identifiers of critical extensions that are not understood here. */
  readonly unknownCritical: readonly string[]
  /** How the issuer signed it; undefined: not in a way that is accepted. */
  readonly scheme: SignatureScheme | undefined
  /** DER of the names, as CRLs repeat them. */
  readonly subjectName: Buffer
}

/** Bits of keyUsage that are asked for, with their numbers (RFC 5280, 4.2.1.3). */
const keyUsageBits = { digitalSignature: 0, nonRepudiation: 1, keyCertSign: 5, cRLSign: 6 } as const
export type KeyUsage = keyof typeof keyUsageBits

const ids = {
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  certificatePolicies: '2.5.29.32',
  extendedKeyUsage: '2.5.29.37',
  qcStatements: '1.3.6.1.5.5.7.1.3',
} as const

const nameConstraintsId = '2.5.29.30'

/** Critical extensions that a chain may have. Alternative names and policies restrict nothing that is used here. */
const understood: ReadonlySet<string> = new Set(Object.values(ids))

/** id-etsi-qcs-QcType and its values (ETSI EN 319 412-5, 4.2.3). */
export const qcTypeId = '0.4.0.1862.1.6'
export const qcTypes = { signing: '0.4.0.1862.1.6.2', tls: '0.4.0.1862.1.6.3' } as const

const organizationIdentifierId = '2.5.4.97'

const known = new WeakMap<Certificate, Extensions>()

/**
 * Reads the extensions of a certificate. This costs much more than a signature
 * check, so a certificate from a stranger is read only once its issuer is known.
 *
 * @throws {CertificateUnreadable}
 */
export function extensionsOf(certificate: Certificate): Extensions {
  let extensions = known.get(certificate)
  if (extensions === undefined) {
    extensions = read(certificate)
    known.set(certificate, extensions)
  }
  return extensions
}

function read({ x509 }: Certificate): Extensions {
  try {
    const parsed = Asn1Certificate.fromBER(x509.raw)
    const byId = new Map<string, Extension>()
    for (const extension of parsed.extensions ?? []) {
      // RFC 5280, 4.2: readers would take different ones.
      if (byId.has(extension.extnID)) throw new Error(`two extensions ${extension.extnID}`)
      byId.set(extension.extnID, extension)
    }
    const valueIn = (id: string) => {
      const extension = byId.get(id)
      return extension && decode(extension)
    }
    return {
      ...basicConstraints(valueIn(ids.basicConstraints)),
      hasNameConstraints: byId.has(nameConstraintsId),
      keyUsage: keyUsage(valueIn(ids.keyUsage)),
      extendedKeyUsage: objectIdentifiers(valueIn(ids.extendedKeyUsage)),
      ...qualifiedStatements(valueIn(ids.qcStatements)),
      organizationIdentifier: organizationIdentifier(parsed),
      unknownCritical: [...byId.values()]
        .filter(({ critical, extnID }) => critical && !understood.has(extnID))
        .map(({ extnID }) => extnID),
      // Both places must name the same algorithm (RFC 5280, 4.1.1.2).
      scheme: parsed.signature.isEqual(parsed.signatureAlgorithm)
        ? readScheme(parsed.signatureAlgorithm)
        : undefined,
      subjectName: Buffer.from(parsed.subject.valueBeforeDecode),
    }
  } catch (cause) {
    throw new CertificateUnreadable('has extensions that cannot be read', { cause })
  }
}

function decode({ extnID, extnValue }: Extension): asn1js.AsnType {
  const octets = extnValue.valueBlock.valueHexView
  const { offset, result } = asn1js.fromBER(octets)
  if (offset !== octets.length) throw new Error(`the extension ${extnID} is not one value`)
  return result
}

/** BasicConstraints ::= SEQUENCE { cA BOOLEAN DEFAULT FALSE, pathLenConstraint INTEGER OPTIONAL } */
function basicConstraints(value: asn1js.AsnType | undefined) {
  const [first, second] = sequence(value)
  const isAuthority = first instanceof asn1js.Boolean && first.getValue()
  if (second !== undefined && !(second instanceof asn1js.Integer)) throw new Error('path length')
  return { isAuthority, pathLength: second?.valueBlock.valueDec }
}

/** The bits of the first octet, most significant first; no bit that is asked for is in the second. */
function keyUsage(value: asn1js.AsnType | undefined): ReadonlySet<KeyUsage> | undefined {
  if (value === undefined) return undefined
  if (!(value instanceof asn1js.BitString)) throw new Error('keyUsage is no bit string')
  const octet = value.valueBlock.valueHexView[0] ?? 0
  const names: KeyUsage[] = ['digitalSignature', 'nonRepudiation', 'keyCertSign', 'cRLSign']
  return new Set(names.filter((name) => (octet & (0x80 >> keyUsageBits[name])) !== 0))
}

/** SEQUENCE OF OBJECT IDENTIFIER */
function objectIdentifiers(value: asn1js.AsnType | undefined): string[] | undefined {
  return value === undefined
    ? undefined
    : sequence(value).map((item) => {
        if (!(item instanceof asn1js.ObjectIdentifier)) throw new Error('no object identifier')
        return item.getValue()
      })
}

/** QCStatements ::= SEQUENCE OF SEQUENCE { statementId OBJECT IDENTIFIER, statementInfo ANY OPTIONAL } (RFC 3739, 3.2.6) */
function qualifiedStatements(
  value: asn1js.AsnType | undefined,
): Pick<Extensions, 'qualifiedFor' | 'psd2'> {
  let qualifiedFor: Extensions['qualifiedFor']
  let psd2: Psd2Statement | undefined
  for (const statement of sequence(value)) {
    const [id, info] = sequence(statement)
    if (!(id instanceof asn1js.ObjectIdentifier)) throw new Error('a statement without its id')
    if (id.getValue() === psd2StatementId) psd2 = readPsd2Statement(info)
    if (id.getValue() === qcTypeId) qualifiedFor = objectIdentifiers(info)?.map(useOf)
  }
  return { qualifiedFor, psd2 }
}

function useOf(qcType: string): CertificateUse | 'other' {
  if (qcType === qcTypes.tls) return 'tls'
  return qcType === qcTypes.signing ? 'signing' : 'other'
}

function organizationIdentifier({ subject }: Asn1Certificate): string | undefined {
  const found = subject.typesAndValues.find(({ type }) => type === organizationIdentifierId)
  const text: unknown = found?.value.getValue()
  return typeof text === 'string' && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(text) ? text : undefined
}

function sequence(value: asn1js.AsnType | undefined): readonly asn1js.AsnType[] {
  if (value === undefined) return []
  if (!(value instanceof asn1js.Sequence)) throw new Error('no sequence')
  return value.valueBlock.value
}
