import { type Certificate, readCertificates } from './certificate.ts'
import { extensionsOf } from './extensions.ts'
import {
  type RevocationList,
  RevocationListUnusable,
  readRevocationLists,
} from './revocation-list.ts'
import { isStrong } from './signature-scheme.ts'

/** Authorities that are trusted as they are, and what they revoked. */
export interface Trust {
  /**
   * Trusted without regard to their own issuers: a root, or an authority below
   * it, as trusted lists name them (ETSI TS 119 612).
   */
  readonly anchors: readonly Certificate[]
  /** Undefined: revocation is not checked. Otherwise each issuer in a chain needs a list. */
  readonly lists: readonly RevocationList[] | undefined
}

/** What the operator's files say. */
export interface TrustOfFiles extends Trust {
  /** File contents from which another process can read the same trust. */
  readonly contents: readonly Buffer[]
}

/** A certificate that cannot be an anchor, and why. */
export class TrustUnusable extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TrustUnusable'
  }
}

/**
 * Reads the operator's files: the authorities in PEM and, if there is a second
 * file, their revocation lists in PEM or DER.
 *
 * @param active what these files replace: a list older than its predecessor would bring revoked certificates back
 * @throws {TrustUnusable} without an anchor, or for one that is not an authority, has name constraints or a weak key
 * @throws {CertificateUnreadable}
 * @throws {RevocationListUnusable}
 */
export function readTrust(contents: readonly Buffer[], active?: Trust): TrustOfFiles {
  const [authorities, revoked] = contents
  const anchors = readCertificates(authorities?.toString('latin1') ?? '')
  if (anchors.length === 0) throw new TrustUnusable('there is no certificate')
  for (const [index, anchor] of anchors.entries()) {
    const place = `certificate ${index + 1}`
    // Otherwise the holder of an ordinary certificate could issue others.
    if (!extensionsOf(anchor).isAuthority) {
      throw new TrustUnusable(`${place} is not an authority: it must have CA:TRUE`)
    }
    if (extensionsOf(anchor).hasNameConstraints) {
      throw new TrustUnusable(`${place} has name constraints, which are not supported`)
    }
    if (!isStrong(anchor.x509.publicKey)) throw new TrustUnusable(`${place} has a weak key`)
  }
  const lists = revoked && readRevocationLists(revoked)
  // An empty file is a failed copy, not an authority that revoked nothing.
  if (lists?.length === 0) throw new RevocationListUnusable('there is no revocation list')
  for (const [index, { issuer, thisUpdate }] of (lists ?? []).entries()) {
    const newest = newestOf(issuer, active?.lists)
    if (thisUpdate >= newest || newestOf(issuer, lists) >= newest) continue
    throw new RevocationListUnusable(
      `revocation list ${index + 1} is older than the active one, of ${new Date(newest).toISOString()}`,
    )
  }
  return { anchors, lists, contents }
}

/** When the newest list of an issuer was made; before all times without one. */
function newestOf(issuer: string, lists: readonly RevocationList[] = []): number {
  const times = lists.filter((list) => list.issuer === issuer).map(({ thisUpdate }) => thisUpdate)
  return Math.max(Number.NEGATIVE_INFINITY, ...times)
}
