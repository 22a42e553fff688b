import type { Socket } from 'node:net'
import {
  type Certificate,
  CertificateUnreadable,
  readCertificate,
} from '../../certificates/certificate.ts'
import { judgeCertificate, type Verdict } from '../../certificates/judge.ts'
import type { Psd2Role } from '../../certificates/psd2-role.ts'
import type { Trust } from '../../certificates/trust.ts'
import { createBoundedMap } from '../../platform/bounded-map.ts'
import { plainAddress } from '../../platform/http/client-address.ts'
import type { Refusal } from '../../platform/http/problem.ts'
import { peerCertificates } from '../../platform/http/tls.ts'
import type { CertificateNames, CertificateRegister } from '../../registry/registry.ts'
import { certificateChallenge } from './certificate-challenge.ts'
import type { RequestFields } from './request/request-fields.ts'

/** A valid client certificate: the identity of a call in addition to its key. The same object for all calls with it. */
export interface ClientCertificate {
  /** SHA-256 of the certificate, base64url. */
  readonly thumbprint: string
  /** Roles of its PSD2 statement; empty without one. */
  readonly roles: readonly Psd2Role[]
  /** The authorisation number (organizationIdentifier of its subject). */
  readonly number: string | undefined
}

/** What judges the certificates of clients. */
export interface ClientCertificates {
  /** Whether every call needs one. */
  readonly isRequired: boolean
  /**
   * Judges the certificate that came with a request: that of the TLS connection
   * or, without one, that in `Client-Cert` (RFC 9440) of a trusted proxy. From
   * any other peer, `Client-Cert` is refused.
   *
   * @returns undefined for a call without a certificate
   */
  judge(
    request: { readonly socket: Socket },
    fields: Pick<RequestFields, 'clientCert' | 'clientCertChain'>,
  ): ClientCertificate | Refusal | undefined
  /** Notes that a call of the owner used the certificate with this id. */
  noteUse(id: string): void
}

export interface ClientCertificatesOptions {
  readonly isRequired: boolean
  /** What is trusted now. Another list means that everything is judged again. */
  readonly trusts: () => readonly Trust[]
  readonly register: CertificateRegister
  /** Whether `Client-Cert` of this address counts. */
  readonly isProxy: (address: string) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A certificate with those that came along. */
interface Presented {
  readonly certificate: Certificate
  readonly intermediates: readonly Certificate[]
}

/** What a TLS connection presented, and how it was judged last. */
interface Connected {
  /** Undefined: no certificate. */
  readonly presented: Presented | Refusal | undefined
  judged: Judged | undefined
}

/** What was found of a certificate, and for how long it holds. */
interface Judged {
  readonly outcome: ClientCertificate | Refusal
  /** Undefined: it cannot be read. */
  readonly names: CertificateNames | undefined
  readonly trusts: readonly Trust[]
  readonly sinceMs: number
  readonly untilMs: number
}

/** Texts of `Client-Cert` that are remembered, in each of two generations; about 3 KB each. */
const rememberedMax = 2_000
/** Milliseconds for which a refusal is not judged again: the clock may change it. */
const refusedMs = 10_000

const fromStranger: Refusal = {
  code: 'HEADERS_INVALID',
  detail:
    'Only a proxy that the operator trusts may send Client-Cert or Client-Cert-Chain. Connect with your certificate instead.',
}
const malformed: Refusal = {
  code: 'HEADERS_INVALID',
  detail:
    'Client-Cert must be one byte sequence, and Client-Cert-Chain a list of byte sequences (RFC 9440): base64 of DER between colons.',
}
const unreadable: Refusal = {
  code: 'CLIENT_CERTIFICATE_INVALID',
  detail: 'The gateway cannot read the client certificate.',
  headers: certificateChallenge,
}

/**
 * Creates the judge. It remembers its verdicts: by connection, or by the text of
 * the header, since a proxy mixes clients on one connection. So a certificate
 * costs a look-up per call, until a date passes or the operator's files change.
 */
export function createClientCertificates(options: ClientCertificatesOptions): ClientCertificates {
  const { isRequired, register, isProxy, now } = options
  const byText = createBoundedMap<Judged>({ capacity: rememberedMax })
  const bySocket = new WeakMap<Socket, Connected>()

  function isCurrent(judged: Judged | undefined): judged is Judged {
    if (judged === undefined || judged.trusts !== options.trusts()) return false
    const at = now()
    return judged.sinceMs <= at && at < judged.untilMs
  }

  function judge(presented: Presented | Refusal): Judged {
    const trusts = options.trusts()
    const nowMs = now()
    const refused = { trusts, sinceMs: nowMs, untilMs: nowMs + refusedMs }
    if ('code' in presented) return { ...refused, outcome: presented, names: undefined }
    const { thumbprint, signedDigest } = presented.certificate
    const names = { thumbprint, signedDigest }
    const verdict = judgeCertificate({ ...presented, trusts, use: 'tls', nowMs })
    if (verdict.outcome !== 'valid') {
      return { ...refused, outcome: refusalOf(verdict), names }
    }
    const { psd2, organizationIdentifier: number } = verdict.extensions
    const outcome = { thumbprint, roles: psd2?.roles ?? [], number }
    return { outcome, names, trusts, sinceMs: nowMs, untilMs: verdict.until }
  }

  function ofProxy(text: string, chain: string | undefined): Judged {
    // No certificate contains a line break, so two fields never look like one.
    const key = chain === undefined ? text : `${text}\n${chain}`
    const known = byText.get(key)
    if (isCurrent(known)) return known
    const judged = judge(presentedBy(text, chain))
    byText.set(key, judged)
    return judged
  }

  function ofConnection(socket: Socket): Judged | undefined {
    let known = bySocket.get(socket)
    if (known === undefined) {
      known = { presented: presentedIn(socket), judged: undefined }
      bySocket.set(socket, known)
    }
    if (known.presented === undefined) return undefined
    if (isCurrent(known.judged)) return known.judged
    known.judged = judge(known.presented)
    return known.judged
  }

  return {
    isRequired,
    noteUse: register.noteUse,
    judge({ socket }, { clientCert, clientCertChain }) {
      const isSent = clientCert !== undefined || clientCertChain !== undefined
      if (isSent && !isProxy(plainAddress(socket.remoteAddress ?? ''))) return fromStranger
      // First, because its owner has proved to have the key: a proxy that passes TLS through also passes on what
      // clients write into the field.
      let judged = ofConnection(socket)
      if (judged === undefined && isSent) {
        if (clientCert === undefined) return malformed
        judged = ofProxy(clientCert, clientCertChain)
      }
      const names = judged?.names
      if (names !== undefined && register.isBlocked(names)) return blocked(names.thumbprint)
      return judged?.outcome
    },
  }
}

/** Names the certificate, for the developer's question to the operator. */
function blocked(thumbprint: string): Refusal {
  return {
    code: 'CLIENT_CERTIFICATE_BLOCKED',
    members: { thumbprint },
    headers: certificateChallenge,
  }
}

function refusalOf({ outcome, reason }: Exclude<Verdict, { outcome: 'valid' }>): Refusal {
  if (outcome === 'unchecked') {
    return { code: 'REVOCATION_UNAVAILABLE', detail: reason, headers: { 'retry-after': '60' } }
  }
  const codes = {
    invalid: 'CLIENT_CERTIFICATE_INVALID',
    expired: 'CLIENT_CERTIFICATE_EXPIRED',
    revoked: 'CLIENT_CERTIFICATE_REVOKED',
  } as const
  return { code: codes[outcome], detail: reason, headers: certificateChallenge }
}

const byteSequence = /^:([A-Za-z0-9+/]+={0,2}):$/
/** Certificates in `Client-Cert-Chain` that are read; `judge.ts` does not use further ones. */
const chainMax = 4

/** Reads the fields of RFC 9440, 2.2 and 2.3. */
function presentedBy(text: string, chain: string | undefined): Presented | Refusal {
  const texts = [text, ...(chain === undefined ? [] : chain.split(','))]
  const sequences = texts.map((item) => byteSequence.exec(item.trim())?.[1])
  const [own, ...others] = sequences
  if (own === undefined || others.includes(undefined)) return malformed
  return readAll(
    [own, ...others.slice(0, chainMax)].map((item) => Buffer.from(item ?? '', 'base64')),
  )
}

/** The certificate of a TLS connection and those that the client sent with it. */
function presentedIn(socket: Socket): Presented | Refusal | undefined {
  const certificates = peerCertificates(socket, chainMax)
  return certificates.length === 0 ? undefined : readAll(certificates)
}

function readAll(sources: readonly Buffer[]): Presented | Refusal {
  try {
    const [certificate, ...intermediates] = sources.map((source) => readCertificate(source))
    return certificate === undefined ? unreadable : { certificate, intermediates }
  } catch (error) {
    if (error instanceof CertificateUnreadable) return unreadable
    throw error
  }
}
