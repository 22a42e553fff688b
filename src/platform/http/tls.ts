import { constants, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import {
  createSecureContext,
  type SecureContextOptions,
  TLSSocket,
  type TlsOptions,
} from 'node:tls'
import type { Watched } from '../settings/watched-files.ts'

/** A certificate chain and its private key, as PEM files. */
export interface CertificateFiles {
  readonly certFile: string
  readonly keyFile: string
}

/** A certificate chain and its private key, as checked PEM text. */
export interface KeyPair {
  /** The leaf first, then each issuer. */
  readonly cert: string
  readonly key: string
  /** The time in which every certificate of the chain is valid, in milliseconds since 1970. */
  readonly validFrom: number
  readonly expiresAt: number
}

/** What the gateway trusts and presents as a client of the backend. */
export interface UpstreamCredentials {
  /** Authorities in place of the usual public ones, as checked PEM text. */
  readonly ca: string | undefined
  readonly pair: KeyPair | undefined
}

/** TLS of one listener. Its certificate can change while it serves. */
export interface ListenerTls extends Watched<KeyPair> {
  /**
   * Whether it asks clients for a certificate. It accepts each one, and none:
   * {@link peerCertificates} has what the client presented.
   */
  readonly asksForCertificate: boolean
  /** Counts a handshake that failed. */
  handshakeFailed(error: Error): void
}

/**
 * TLS 1.2 and 1.3 with authenticated encryption (AEAD) and forward secrecy
 * only, in the order of Mozilla's intermediate configuration 5.7.
 */
export const protocol = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
} as const satisfies SecureContextOptions

/** Milliseconds for a handshake; Node's default is two minutes. */
const handshakeMs = 10_000

/** The options with which a listener's server is created. */
export function serverOptions(tls: ListenerTls): TlsOptions {
  return {
    ...contextOptions(tls),
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: handshakeMs,
    // The request names no authorities, so a client with any certificate sends it. A check then refuses a wrong one
    // with a code that its owner can read. A failed handshake would only be an alert.
    requestCert: tls.asksForCertificate,
    rejectUnauthorized: false,
  }
}

/**
 * The options for new connections after a change, for `setSecureContext`. The
 * server makes new ticket keys with them, so no session outlives the
 * certificate that began it.
 */
export function contextOptions(
  tls: Pick<ListenerTls, 'current' | 'asksForCertificate'>,
): SecureContextOptions {
  const { cert, key } = tls.current()
  const { SSL_OP_NO_RENEGOTIATION, SSL_OP_NO_TICKET } = constants
  return {
    ...protocol,
    cert,
    key,
    // A resumed session has the client's own certificate, but not the intermediate ones that came with it.
    secureOptions: SSL_OP_NO_RENEGOTIATION | (tls.asksForCertificate ? SSL_OP_NO_TICKET : 0),
  }
}

/** The options with which the gateway connects to the backend. */
export function upstreamOptions({ ca, pair }: UpstreamCredentials): SecureContextOptions {
  return {
    ...protocol,
    ...(ca === undefined ? {} : { ca }),
    ...(pair === undefined ? {} : { cert: pair.cert, key: pair.key }),
  }
}

/**
 * The certificates that a client presented in its handshake, in DER: its own,
 * whose private key it has proved to own, then up to `furtherMax` others. No
 * authority has vouched for any. Empty on a plain connection, and when the
 * listener asked for none or the client has none.
 *
 * They never change during a connection.
 */
export function peerCertificates(socket: Socket, furtherMax: number): Buffer[] {
  const found: Buffer[] = []
  if (!(socket instanceof TLSSocket)) return found
  let next = socket.getPeerX509Certificate()
  while (next !== undefined && found.length <= furtherMax) {
    found.push(next.raw)
    next = next.issuerCertificate
  }
  return found
}

/**
 * Checks the contents of a certificate file and a key file. A pair that has
 * expired is valid here; the caller decides.
 *
 * @throws with a message for the operator that repeats nothing from the files
 */
export function parseKeyPair([cert = '', key = '']: readonly string[]): KeyPair {
  const chain = parseCertificates(cert)
  const [leaf] = chain
  if (leaf === undefined) throw new Error('the certificate file contains no PEM certificate')
  const privateKey = parsePrivateKey(key)
  if (!leaf.checkPrivateKey(privateKey)) {
    throw new Error('the private key does not belong to the first certificate of the file')
  }
  for (const [index, issuer] of chain.slice(1).entries()) {
    if (chain[index]?.checkIssued(issuer) !== true) {
      throw new Error(
        `certificate ${index + 2} of the file did not issue certificate ${index + 1}: put the server's certificate first, then each issuer`,
      )
    }
  }
  const pair = {
    cert,
    key,
    validFrom: Math.max(...chain.map(({ validFromDate }) => validFromDate.getTime())),
    expiresAt: Math.min(...chain.map(({ validToDate }) => validToDate.getTime())),
  }
  accepted(contextOptions({ current: () => pair, asksForCertificate: false }))
  return pair
}

/** Checks the content of a file with certificate authorities. @throws with a message for the operator */
export function parseAuthorities(text: string): string {
  const authorities = parseCertificates(text)
  if (authorities.length === 0) throw new Error('the file contains no PEM certificate')
  accepted({ ca: text })
  return text
}

/** Every certificate of a PEM text, in order. @throws when one cannot be read */
export function parseCertificates(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block)
    } catch {
      throw new Error(`certificate ${index + 1} of the file cannot be read`)
    }
  })
}

function parsePrivateKey(text: string): KeyObject {
  if (/ENCRYPTED/.test(text)) {
    throw new Error(
      'the private key is encrypted; Tollgate reads keys without a passphrase (openssl pkey -in … -out …)',
    )
  }
  try {
    return createPrivateKey(text)
  } catch {
    throw new Error('the key file contains no PEM private key')
  }
}

/** Has OpenSSL load what else could fail at a listener, for example a key that is too short. */
function accepted(options: SecureContextOptions): void {
  try {
    createSecureContext(options)
  } catch (error) {
    const reason = error instanceof Error && 'reason' in error ? error.reason : 'unknown reason'
    throw new Error(`OpenSSL does not accept the certificate and key: ${reason}`)
  }
}
