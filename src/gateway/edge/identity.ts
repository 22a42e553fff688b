import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, type JSONWebKeySet } from 'jose'
import type { Operation } from '../../catalogue/catalogue.ts'
import type { Caller } from '../registry/registry.ts'

/** The key of an embedded process: where its data folder keeps it, and how it is made. */
export const embeddedIdentityKey = {
  name: 'identity-private-key',
  generate: (): string =>
    generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
} as const

/** Milliseconds for which a token is used again. Signing is the dearest step of a call, and what a token says of a caller stays true: one of whom something changed is another caller. */
const reuseMs = 45_000
/** Seconds after which the backend no longer accepts a token. */
const lifetimeSeconds = 60

/** A signed identity, and when it was made. */
export interface IdentityToken {
  /** Monotonic milliseconds. */
  readonly madeAt: number
  readonly jws: string
}

/** What a token says of a caller. */
export type IdentifiedCaller = Pick<Caller, 'applicationId' | 'isStrict'>

/** Where the token made last is kept: one place for each caller and operation. */
export interface TokenPlace {
  token: IdentityToken | undefined
}

/** Signs who calls what, for the backend (RFC 7515; typ `gateway-identity+jwt`). */
export interface IdentitySigner {
  /** The compact JWS for a caller and operation; at most 45 s old, so that it is accepted for another 15 s at least. */
  sign(place: TokenPlace, caller: IdentifiedCaller, operation: Operation): string
  /** Public keys for the backend, as `/.well-known/jwks.json` serves them. */
  readonly jwks: JSONWebKeySet
}

export interface IdentitySignerOptions {
  /** Ed25519 private key, PKCS #8 PEM. */
  readonly privateKeyPem: string
  readonly audience: string
  /** Milliseconds since 1970, for what tokens say. */
  readonly now: () => number
  /** Monotonic milliseconds, for how long they are reused: the clock of the machine may step back. */
  readonly monotonic: () => number
}

/**
 * Creates the signer. The compact form is written here and not by jose, whose
 * signing goes through promises and another thread: measured 34 µs instead of
 * 60 to 140.
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
    const { applicationId, isStrict } = caller
    const issuedAt = Math.floor(now() / 1000)
    const claims = base64url({
      ...{ api, version, operation: id },
      ...{ iss: 'tollgate', aud: audience, sub: applicationId },
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
    // Not as the cause: what OpenSSL says about a text that is no key helps nobody.
    throw new Error(expected)
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(expected)
  return key
}
