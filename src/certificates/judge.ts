import { type Certificate, CertificateUnreadable, type CertificateUse } from './certificate.ts'
import { type Extensions, extensionsOf } from './extensions.ts'
import type { RevocationList } from './revocation-list.ts'
import { isStrong } from './signature-scheme.ts'
import type { Trust } from './trust.ts'

/** Whether a certificate holds at a moment. */
export type Verdict =
  | {
      readonly outcome: 'valid'
      readonly extensions: Extensions
      /** Milliseconds since 1970 up to which no clock changes the verdict. */
      readonly until: number
    }
  | {
      /** `unchecked`: no current CRL is available, which is the operator's fault and says nothing about the certificate. */
      readonly outcome: 'invalid' | 'expired' | 'revoked' | 'unchecked'
      /** For the holder of the certificate; a sentence. */
      readonly reason: string
    }

export interface JudgeOptions {
  readonly certificate: Certificate
  /** Further certificates that came with it, in any order. They may link it to an anchor and are not trusted. */
  readonly intermediates: readonly Certificate[]
  /** Each with anchors and lists of its own. */
  readonly trusts: readonly Trust[]
  readonly use: CertificateUse
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** An authority whose signatures count. */
interface Authority {
  readonly certificate: Certificate
  /** Undefined: an anchor. */
  readonly issuer: Authority | undefined
  readonly trust: Trust
  /** How many authorities may follow below it. */
  readonly room: number
}

/** Authorities below an anchor that are looked at. Real chains have one or two. */
const intermediatesMax = 4

/**
 * Judges a certificate by the rules of RFC 5280, 6, in this order: an authority
 * that counts signed it; it needs nothing that is not understood here and is of
 * the wanted use (4.2.1.3, 4.2.1.12; ETSI EN 319 412-5, 4.2.3); it is within its
 * dates; it is not revoked, and neither is an authority above it.
 *
 * The search begins at the anchors and goes down. So it never uses a key that a
 * stranger chose, and reads nothing of a certificate beyond OpenSSL before a
 * trusted signature covers it.
 */
export function judgeCertificate(options: JudgeOptions): Verdict {
  try {
    return judge(options)
  } catch (error) {
    if (!(error instanceof CertificateUnreadable)) throw error
    return invalid(`The certificate ${error.message}.`)
  }
}

function judge(options: JudgeOptions): Verdict {
  const { certificate, use, nowMs } = options
  const { authorities, unfit } = findAuthorities(options)
  const issuer = authorities.find((authority) => issued(authority, certificate))
  if (issuer === undefined) {
    const fault = unfit.find((authority) => issued(authority, certificate))?.fault
    return invalid(fault ?? 'No trusted authority issued it.')
  }
  const extensions = extensionsOf(certificate)
  const fault = unfitness(certificate, extensions, use)
  if (fault !== undefined) return invalid(fault)
  if (nowMs < certificate.validFrom) return invalid('It is not valid yet.')
  if (nowMs > certificate.validUntil) return { outcome: 'expired', reason: 'It has expired.' }
  return judgeRevocation({ certificate, extensions, issuer }, nowMs)
}

function invalid(reason: string): Verdict {
  return { outcome: 'invalid', reason }
}

/** The signature of an authority leads to this one, but it may not issue. */
interface UnfitAuthority {
  readonly certificate: Certificate
  /** A sentence. */
  readonly fault: string
}

/** The anchors, and those intermediates that lead to one. */
function findAuthorities({ intermediates, trusts, use, nowMs }: JudgeOptions) {
  const unfit: UnfitAuthority[] = []
  const found: Authority[] = trusts.flatMap((trust) =>
    trust.anchors
      .filter((anchor) => isWithinDates(anchor, nowMs) && isFor(extensionsOf(anchor), use))
      .map((certificate) => ({
        certificate,
        trust,
        issuer: undefined,
        room: extensionsOf(certificate).pathLength ?? Number.POSITIVE_INFINITY,
      })),
  )
  let waiting = intermediates.slice(0, intermediatesMax)
  for (let isSearching = true; isSearching; ) {
    isSearching = false
    for (const certificate of waiting) {
      const issuer = found.find((authority) => authority.room > 0 && issued(authority, certificate))
      if (issuer === undefined) continue
      // Looked at once, whether it may issue or not.
      waiting = waiting.filter((other) => other !== certificate)
      const fault = issuerFault(certificate, use, nowMs)
      if (fault !== undefined) {
        unfit.push({ certificate, fault: `Its issuer is not accepted. ${fault}` })
        continue
      }
      const { pathLength = Number.POSITIVE_INFINITY } = extensionsOf(certificate)
      const room = Math.min(issuer.room - 1, pathLength)
      found.push({ certificate, issuer, trust: issuer.trust, room })
      isSearching = true
    }
  }
  return { authorities: found, unfit }
}

/** Names, key identifiers and keyUsage fit (checkIssued), and the signature does. */
function issued(
  { certificate: { x509: issuer } }: Pick<Authority, 'certificate'>,
  { x509 }: Certificate,
): boolean {
  try {
    return x509.checkIssued(issuer) && x509.verify(issuer.publicKey)
  } catch {
    // OpenSSL does not know the algorithm of the signature.
    return false
  }
}

/** Why an authority below an anchor may not issue for this use, in a sentence; undefined: it may. */
function issuerFault(
  certificate: Certificate,
  use: CertificateUse,
  nowMs: number,
): string | undefined {
  const extensions = extensionsOf(certificate)
  if (!extensions.isAuthority || extensions.keyUsage?.has('keyCertSign') === false) {
    return 'It may not issue certificates.'
  }
  // To ignore them would let it issue for any name.
  if (extensions.hasNameConstraints) return 'It has name constraints, which are not supported.'
  if (!isFor(extensions, use)) return notForClients
  if (!isWithinDates(certificate, nowMs)) return 'It is not within its dates.'
  return faultOf(certificate, extensions)
}

function isWithinDates({ validFrom, validUntil }: Certificate, nowMs: number): boolean {
  return validFrom <= nowMs && nowMs <= validUntil
}

/** What is wrong with a signed certificate, whatever it is for; undefined: nothing. */
function faultOf({ x509 }: Certificate, extensions: Extensions): string | undefined {
  if (!isStrong(x509.publicKey)) {
    return 'Its key is too weak: use RSA with 2,048 to 8,192 bits, or a usual elliptic curve.'
  }
  if (extensions.scheme === undefined) {
    return 'Its signature uses an algorithm that is not accepted, such as SHA-1.'
  }
  const [unknown] = extensions.unknownCritical
  if (unknown === undefined) return undefined
  return `It has the critical extension ${unknown}, which is not supported.`
}

const clientAuthentication = '1.3.6.1.5.5.7.3.2'
const anyPurpose = '2.5.29.37.0'
const notForClients = 'It is not for TLS clients (extendedKeyUsage).'

/** Whether extendedKeyUsage, which also limits what an authority issues for (CA/Browser Forum), allows this use. */
function isFor({ extendedKeyUsage }: Extensions, use: CertificateUse): boolean {
  return (
    use !== 'tls' ||
    extendedKeyUsage === undefined ||
    extendedKeyUsage.includes(clientAuthentication) ||
    extendedKeyUsage.includes(anyPurpose)
  )
}

/** Why a certificate cannot be used for this, apart from issuer and dates, in a sentence; undefined: it can. */
export function unfitness(
  certificate: Certificate,
  extensions: Extensions,
  use: CertificateUse,
): string | undefined {
  const fault = faultOf(certificate, extensions)
  if (fault !== undefined) return fault
  const { isAuthority, keyUsage, qualifiedFor } = extensions
  if (isAuthority) return 'It is the certificate of an authority.'
  if (qualifiedFor !== undefined && !qualifiedFor.includes(use)) {
    return use === 'tls'
      ? 'It is not a QWAC: its qualified statements name another use than TLS.'
      : 'It is not a QSealC: its qualified statements name another use than seals.'
  }
  const maySign =
    keyUsage === undefined ||
    keyUsage.has('digitalSignature') ||
    (use === 'signing' && keyUsage.has('nonRepudiation'))
  if (!maySign) return 'Its key may not sign (keyUsage).'
  return isFor(extensions, use) ? undefined : notForClients
}

interface Found {
  readonly certificate: Certificate
  readonly extensions: Extensions
  readonly issuer: Authority
}

/** Asks the lists of every issuer up to the anchor. The first thing that ends, a certificate or a list, ends the verdict. */
function judgeRevocation({ certificate, extensions, issuer }: Found, nowMs: number): Verdict {
  let until = certificate.validUntil
  let isChecked = true
  let subject = certificate
  for (let above: Authority | undefined = issuer; above !== undefined; above = above.issuer) {
    until = Math.min(until, above.certificate.validUntil)
    if (above.trust.lists !== undefined) {
      const lists = listsOf(above.certificate, above.trust.lists)
      // A revocation is final, so that an old list still proves it.
      if (lists.some((list) => list.has(subject.x509.serialNumber))) {
        return { outcome: 'revoked', reason: 'It, or an authority above it, is revoked.' }
      }
      const end = Math.max(0, ...lists.map(({ nextUpdate }) => nextUpdate))
      isChecked &&= nowMs <= end
      until = Math.min(until, end)
    }
    subject = above.certificate
  }
  if (isChecked) return { outcome: 'valid', extensions, until }
  const reason = 'There is no current revocation list of its issuer at the moment.'
  return { outcome: 'unchecked', reason }
}

const verifiedLists = new WeakMap<RevocationList, WeakMap<Certificate, boolean>>()

/** The lists that this authority signed. Each pair is verified once. */
function listsOf(issuer: Certificate, lists: readonly RevocationList[]): RevocationList[] {
  return lists.filter((list) => {
    const verified = verifiedLists.get(list) ?? new WeakMap<Certificate, boolean>()
    verifiedLists.set(list, verified)
    let isOurs = verified.get(issuer)
    if (isOurs === undefined) {
      const { keyUsage, subjectName } = extensionsOf(issuer)
      isOurs =
        keyUsage?.has('cRLSign') !== false &&
        list.issuerName.equals(subjectName) &&
        list.isSignedBy(issuer.x509.publicKey)
      verified.set(issuer, isOurs)
    }
    return isOurs
  })
}
