import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, type JSONWebKeySet } from 'jose'
import type { Operation } from '../../../catalogue/catalogue.ts'
import type { Caller } from '../../registry/registry.ts'

/** The key of an embedded process: its place in the data folder, and how to generate it. */
export const embeddedIdentityKey = {
  name: 'identity-private-key',
  generate: (): string =>
    generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
} as const

/**
 * Milliseconds for which a token is reused. Signing is the most expensive step
 * of a call, and a token's content stays true: a changed caller is a new
 * object.
 */
const reuseMs = 45_000
/** Seconds after which the backend rejects a token. */
const lifetimeSeconds = 60

/** A signed identity and its creation time. */
export interface IdentityToken {
  /** Monotonic milliseconds. */
  readonly madeAt: number
  readonly jws: string
}

/** What a token states about a caller. */
export type IdentifiedCaller = Pick<Caller, 'applicationId' | 'applicationName' | 'isStrict'>

/** Keeps the latest token: one place per caller and operation. */
export interface TokenPlace {
  token: IdentityToken | undefined
}

/** Signs the identity of the caller for the backend (RFC 7515; typ `gateway-identity+jwt`). */
export interface IdentitySigner {
  /** The compact JWS for a caller and operation. It is at most 45 s old, so it remains valid for at least another 15 s. */
  sign(place: TokenPlace, caller: IdentifiedCaller, operation: Operation): string
  /** Public keys for the backend, as `/.well-known/jwks.json` serves them. */
  readonly jwks: JSONWebKeySet
}

export interface IdentitySignerOptions {
  /** Ed25519 private key, PKCS #8 PEM. */
  readonly privateKeyPem: string
  readonly audience: string
  /** Milliseconds since 1970, for the times in a token. */
  readonly now: () => number
  /** Monotonic milliseconds, for reuse: the machine's clock may step back. */
  readonly monotonic: () => number
}

/**
 * Creates the signer. It writes the compact form itself, because signing with
 * jose uses promises and another thread: 34 µs instead of 60 to 140.
 *
 * @throws when the key is not an Ed25519 private key
 */
export async function createIdentitySigner(
  options: IdentitySignerOptions,
): Promise<IdentitySigner> {
  const { audience, now, monotonic } = options
  const privateKey = readPrivateKey(options.privateKeyPem)
  const jwk = await exportJWK(createPublicKey(privateKey))
  const kid = await calculateJwkThumbprint(jwk)
  const header = base64url({ alg: 'EdDSA', typ: 'gateway-identity+jwt', kid })

  function make(caller: IdentifiedCaller, { api, version, id }: Operation): string {
    const { applicationId, applicationName, isStrict } = caller
    const issuedAt = Math.floor(now() / 1000)
    const claims = base64url({
      ...{ api, version, operation: id },
      ...{ iss: 'tollgate', aud: audience, sub: applicationId, name: applicationName },
      ...(isStrict ? { strict: true } : {}),
      ...{ iat: issuedAt, exp: issuedAt + lifetimeSeconds },
    })
    const signed = `${header}.${claims}`
    return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
  }

  return {
    jwks: { keys: [{ ...jwk, kid, alg: 'EdDSA', use: 'sig' }] },

    sign(place, caller, operation) {
      const at = monotonic()
      const { token } = place
      if (token !== undefined && at - token.madeAt < reuseMs) return token.jws
      const jws = make(caller, operation)
      place.token = { madeAt: at, jws }
      return jws
    },
  }
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function readPrivateKey(pem: string): KeyObject {
  const expected =
    'IDENTITY_PRIVATE_KEY: must be an Ed25519 private key in PKCS #8 PEM (e.g. the output of: openssl genpkey -algorithm ed25519)'
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    // Without the cause: OpenSSL's message about text that is not a key does not help.
    throw new Error(expected)
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(expected)
  return key
}
