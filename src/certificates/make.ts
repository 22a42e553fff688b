import { randomBytes, webcrypto } from 'node:crypto'
import * as asn1js from 'asn1js'
import {
  AttributeTypeAndValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  CertificatePolicies,
  CertificateRevocationList,
  CRLDistributionPoints,
  DistributionPoint,
  Extension,
  Extensions,
  ExtKeyUsage,
  GeneralName,
  PolicyInformation,
  PublicKeyInfo,
  QCStatement,
  QCStatements,
  RelativeDistinguishedNames,
  RevokedCertificate,
  Time,
} from 'pkijs'
import type { CertificateUse } from './certificate.ts'
import { qcTypeId, qcTypes } from './extensions.ts'
import { type Psd2Statement, psd2StatementId, writePsd2Statement } from './psd2-statement.ts'

/** A name by short attribute names: country, organisation, organizationIdentifier, common name. */
export interface Name {
  readonly c?: string
  readonly o?: string
  readonly organizationIdentifier?: string
  readonly cn: string
}

/** A certificate with its private key, both in PEM (PKCS #8). */
export interface Made {
  readonly certificate: string
  readonly privateKey: string
}

/** An authority that can issue. */
export interface Issuer {
  readonly certificate: Buffer
  /** PKCS #8, DER. ECDSA P-256. */
  readonly privateKey: Buffer
}

export interface MakeOptions {
  readonly subject: Name
  /** Milliseconds since 1970; whole seconds count. */
  readonly validFrom: number
  readonly validUntil: number
}

export interface MakeSubjectOptions extends MakeOptions {
  readonly issuer: Issuer
  readonly use: CertificateUse
  readonly psd2: Psd2Statement
  /** Where the issuer's CRL is served. */
  readonly crlUrl: string
}

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const
const hash = 'SHA-256'

const attributeIds = {
  c: '2.5.4.6',
  o: '2.5.4.10',
  organizationIdentifier: '2.5.4.97',
  cn: '2.5.4.3',
} as const

/** Policies: QCP-w-psd2 (ETSI TS 119 495, 6.1) and QCP-l (ETSI EN 319 411-2, 5.3). */
const policies = { tls: '0.4.0.19495.3.1', signing: '0.4.0.194112.1.1' } as const

/** id-etsi-qcs-QcCompliance (ETSI EN 319 412-5, 4.2.1). */
const qcComplianceId = '0.4.0.1862.1.1'

/** Makes a self-signed authority with a new P-256 key. It may issue certificates of clients and sign CRLs. */
export async function makeAuthority(options: MakeOptions): Promise<Issuer> {
  const { certificate, publicKey, privateKey } = await begin(options)
  certificate.issuer = certificate.subject
  certificate.extensions = [
    extension('2.5.29.19', new BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
    keyUsage(['keyCertSign', 'cRLSign']),
    await subjectKeyIdentifier(publicKey),
  ]
  await certificate.sign(privateKey, hash)
  return { certificate: derOf(certificate), privateKey: await exported(privateKey) }
}

/**
 * Makes a certificate of a payment service provider with a new P-256 key: a
 * QWAC (`tls`) or a QSealC (`signing`) with the statements of ETSI TS 119 495,
 * 5.1. The key is in the result and nowhere else.
 */
export async function makeCertificate(options: MakeSubjectOptions): Promise<Made> {
  const { issuer, use, psd2, crlUrl } = options
  const { certificate, publicKey, privateKey } = await begin(options)
  const above = Certificate.fromBER(issuer.certificate)
  certificate.issuer = above.subject
  certificate.extensions = [
    extension('2.5.29.19', new BasicConstraints({ cA: false }), true),
    use === 'tls'
      ? keyUsage(['digitalSignature'])
      : keyUsage(['digitalSignature', 'nonRepudiation']),
    ...(use === 'tls'
      ? [
          extension(
            '2.5.29.37',
            // Client, and server as QWACs usually have it.
            new ExtKeyUsage({ keyPurposes: ['1.3.6.1.5.5.7.3.2', '1.3.6.1.5.5.7.3.1'] }),
          ),
        ]
      : []),
    await subjectKeyIdentifier(publicKey),
    authorityKeyIdentifier(above),
    extension('2.5.29.31', distributionPoint(crlUrl)),
    extension(
      '2.5.29.32',
      new CertificatePolicies({
        certificatePolicies: [new PolicyInformation({ policyIdentifier: policies[use] })],
      }),
    ),
    extension(
      '1.3.6.1.5.5.7.1.3',
      new QCStatements({
        values: [
          new QCStatement({ id: qcComplianceId }),
          new QCStatement({
            id: qcTypeId,
            type: new asn1js.Sequence({
              value: [new asn1js.ObjectIdentifier({ value: qcTypes[use] })],
            }),
          }),
          new QCStatement({ id: psd2StatementId, type: writePsd2Statement(psd2) }),
        ],
      } as ConstructorParameters<typeof QCStatements>[0]),
    ),
  ]
  await certificate.sign(await imported(issuer.privateKey), hash)
  return {
    certificate: pem('CERTIFICATE', derOf(certificate)),
    privateKey: pem('PRIVATE KEY', await exported(privateKey)),
  }
}

export interface MakeRevocationListOptions {
  readonly issuer: Issuer
  readonly revoked: readonly { readonly serial: string; readonly at: number }[]
  /** Number of the previous list, plus one. */
  readonly number: number
  /** Milliseconds since 1970. */
  readonly thisUpdate: number
  readonly nextUpdate: number
}

/** Makes and signs a CRL (RFC 5280, 5), in DER. Serials are hexadecimal. */
export async function makeRevocationList(options: MakeRevocationListOptions): Promise<Buffer> {
  const { issuer, revoked, number, thisUpdate, nextUpdate } = options
  const above = Certificate.fromBER(issuer.certificate)
  const list = new CertificateRevocationList({
    version: 1,
    issuer: above.subject,
    thisUpdate: time(thisUpdate),
    nextUpdate: time(nextUpdate),
    crlExtensions: new Extensions({
      extensions: [
        authorityKeyIdentifier(above),
        extension('2.5.29.20', new asn1js.Integer({ value: number })),
      ],
    }),
  })
  // RFC 5280, 5.1.2.6: absent in a list without entries.
  if (revoked.length > 0) {
    list.revokedCertificates = revoked.map(
      ({ serial, at }) =>
        new RevokedCertificate({ userCertificate: serialNumber(serial), revocationDate: time(at) }),
    )
  }
  await list.sign(await imported(issuer.privateKey), hash)
  return Buffer.from(list.toSchema(true).toBER())
}

/** A certificate with names, dates, serial number and a new key, not signed yet. */
async function begin({ subject, validFrom, validUntil }: MakeOptions) {
  const keys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])
  const certificate = new Certificate()
  // X.509 version 3.
  certificate.version = 2
  // 127 random bits, never negative and never zero at the front (RFC 5280, 4.1.2.2).
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  certificate.serialNumber = serialNumber(serial.toString('hex'))
  certificate.subject = distinguishedName(subject)
  certificate.notBefore = time(validFrom)
  certificate.notAfter = time(validUntil)
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey)
  return { certificate, publicKey: keys.publicKey, privateKey: keys.privateKey }
}

/** A level for each attribute. The library alone would write all attributes into one level. */
function distinguishedName({ cn, ...others }: Name): RelativeDistinguishedNames {
  const given = { ...others, cn }
  const levels = (['c', 'o', 'organizationIdentifier', 'cn'] as const).flatMap((short) => {
    const text = given[short]
    if (text === undefined) return []
    const value =
      short === 'c'
        ? new asn1js.PrintableString({ value: text })
        : new asn1js.Utf8String({ value: text })
    const attribute = new AttributeTypeAndValue({ type: attributeIds[short], value })
    return [new asn1js.Set({ value: [attribute.toSchema()] })]
  })
  const octets = new asn1js.Sequence({ value: levels }).toBER()
  return RelativeDistinguishedNames.fromBER(octets)
}

function serialNumber(hex: string): asn1js.Integer {
  const octets = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  // A leading 1 bit would make it negative.
  const unsigned = (octets[0] ?? 0) < 0x80 ? octets : Buffer.concat([Buffer.from([0]), octets])
  return new asn1js.Integer({ valueHex: new Uint8Array(unsigned) })
}

/** UTCTime until 2049, then GeneralizedTime (RFC 5280, 4.1.2.5). */
function time(at: number): Time {
  const value = new Date(Math.floor(at / 1000) * 1000)
  return new Time({ type: value.getUTCFullYear() < 2050 ? 0 : 1, value })
}

function extension(
  extnID: string,
  value: { toSchema(): { toBER(): ArrayBuffer } } | { toBER(): ArrayBuffer },
  critical = false,
): Extension {
  const block = 'toSchema' in value ? value.toSchema() : value
  return new Extension({ extnID, critical, extnValue: block.toBER() })
}

const usageBits = { digitalSignature: 0, nonRepudiation: 1, keyCertSign: 5, cRLSign: 6 } as const

function keyUsage(names: readonly (keyof typeof usageBits)[]): Extension {
  const octet = names.reduce((bits, name) => bits | (0x80 >> usageBits[name]), 0)
  const last = Math.max(...names.map((name) => usageBits[name]))
  const value = new asn1js.BitString({ valueHex: new Uint8Array([octet]), unusedBits: 7 - last })
  return extension('2.5.29.15', value, true)
}

/** Method 1 of RFC 5280, 4.2.1.2: SHA-1 of the public key as a name, not as a protection. */
async function keyIdentifier(info: PublicKeyInfo): Promise<ArrayBuffer> {
  const key = new Uint8Array(info.subjectPublicKey.valueBlock.valueHexView)
  return webcrypto.subtle.digest('SHA-1', key)
}

async function subjectKeyIdentifier(publicKey: webcrypto.CryptoKey): Promise<Extension> {
  const info = new PublicKeyInfo()
  await info.importKey(publicKey)
  return extension('2.5.29.14', new asn1js.OctetString({ valueHex: await keyIdentifier(info) }))
}

function authorityKeyIdentifier(above: Certificate): Extension {
  const own = above.extensions?.find(({ extnID }) => extnID === '2.5.29.14')
  const octets = own && asn1js.fromBER(own.extnValue.valueBlock.valueHexView).result
  if (!(octets instanceof asn1js.OctetString)) throw new Error('the issuer has no key identifier')
  return extension('2.5.29.35', new AuthorityKeyIdentifier({ keyIdentifier: octets }))
}

function distributionPoint(url: string): CRLDistributionPoints {
  return new CRLDistributionPoints({
    distributionPoints: [
      new DistributionPoint({ distributionPoint: [new GeneralName({ type: 6, value: url })] }),
    ],
  })
}

function derOf(certificate: Certificate): Buffer {
  return Buffer.from(certificate.toSchema(true).toBER())
}

async function exported(key: webcrypto.CryptoKey): Promise<Buffer> {
  return Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key))
}

function imported(pkcs8: Buffer): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('pkcs8', new Uint8Array(pkcs8), keyAlgorithm, false, ['sign'])
}

/** RFC 7468. */
export function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
