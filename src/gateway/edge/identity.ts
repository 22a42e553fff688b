import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, type JSONWebKeySet, SignJWT } from 'jose'
import type { Operation } from '../../catalogue/catalogue.ts'

/** The key of an embedded process: where its data folder keeps it, and how it is made. */
export const embeddedIdentityKey = {
  name: 'identity-private-key',
  generate: (): string =>
    generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
} as const

/** Milliseconds for which a token is used again. */
const reuseMs = 10_000
/** Seconds after which the backend no longer accepts a token. */
const lifetimeSeconds = 60

/** Signs who calls what, for the backend (RFC 7515; typ `gateway-identity+jwt`). */
export interface IdentitySigner {
  /** The compact JWS for an application and operation; at most 10 s old. Calls `done` once, at once when one is at hand. */
  sign(applicationId: string, operation: Operation, done: (token: string | Error) => void): void
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
 * Creates the signer. Tokens are kept per application and operation, in two
 * generations of 10 s each, so that memory follows the callers of the last 20 s.
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
  const header = { alg: 'EdDSA', typ: 'gateway-identity+jwt', kid }

  let current = new Map<string, Token>()
  let previous = new Map<string, Token>()
  let rotatedAt = monotonic()

  function find(id: string, at: number): Token | undefined {
    if (at - rotatedAt > reuseMs) {
      previous = current
      current = new Map()
      rotatedAt = at
    }
    const token = current.get(id) ?? previous.get(id)
    return token !== undefined && at - token.madeAt < reuseMs ? token : undefined
  }

  return {
    jwks: { keys: [{ ...jwk, kid, alg: 'EdDSA', use: 'sig' }] },

    sign(applicationId, operation, done) {
      const at = monotonic()
      const id = `${applicationId} ${operation.api} ${operation.version} ${operation.id}`
      const known = find(id, at)
      if (known !== undefined) {
        if (known.jws === undefined) known.waiting.push(done)
        else done(known.jws)
        return
      }
      const token: Token = { madeAt: at, jws: undefined, waiting: [done] }
      current.set(id, token)
      const issuedAt = Math.floor(now() / 1000)
      new SignJWT({ api: operation.api, version: operation.version, operation: operation.id })
        .setProtectedHeader(header)
        .setIssuer('tollgate')
        .setAudience(audience)
        .setSubject(applicationId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .sign(privateKey)
        .then(
          (jws) => {
            token.jws = jws
            settle(token, jws)
          },
          (error: Error) => {
            current.delete(id)
            settle(token, error)
          },
        )
    },
  }
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

interface Token {
  readonly madeAt: number
  jws: string | undefined
  waiting: ((token: string | Error) => void)[]
}

function settle(token: Token, outcome: string | Error): void {
  const { waiting } = token
  token.waiting = []
  for (const done of waiting) done(outcome)
}
