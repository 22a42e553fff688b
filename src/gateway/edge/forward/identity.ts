import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, type JSONWebKeySet, type JWK } from 'jose'
import type { ApiVersion } from '../../../catalogue/catalogue.ts'
import type { Drill } from '../../../platform/http/drills.ts'
import type { Watched } from '../../../platform/settings/watched-files.ts'
import type { Caller } from '../../../registry/registry.ts'
import type { ClientCertificate } from '../client-certificates.ts'

/** The key of an embedded process: its place in the data folder, and how to generate it. */
export const embeddedIdentityKey = {
  name: 'identity-private-key',
  generate: (): string =>
    generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
} as const

/** Age in milliseconds at which a token is renewed, between two calls. */
const renewMs = 30_000
/** Age in milliseconds up to which a token is sent. Its content stays true: a changed caller is a new object. */
const reuseMs = 45_000
/** Seconds after which the backend rejects a token. */
const lifetimeSeconds = 60

/** A signed identity, which is renewed in place. */
export interface IdentityToken {
  /** Monotonic milliseconds. */
  madeAt: number
  jws: string
  isRenewing: boolean
  /** The key that signed it. */
  readonly signing: KeyObject
}

/** Where a caller to a version keeps its token, so that it need not be looked up for each call. */
export interface TokenHolder {
  token: IdentityToken | undefined
}

type TokensOfVersions = WeakMap<IdentifiedVersion, IdentityToken>

/** The tokens of one caller: without a certificate, and for each that it connects with. */
interface TokensOfCaller {
  readonly plain: TokensOfVersions
  readonly certified: WeakMap<ClientCertificate, TokensOfVersions>
}

/** What a token states about a caller. */
export type IdentifiedCaller = Pick<
  Caller,
  'applicationId' | 'applicationName' | 'isStrict' | 'seals' | 'redirectOrigins'
>

/** What a token states about a call; the backend knows the rest from method and path. */
export type IdentifiedVersion = Pick<ApiVersion, 'api' | 'version'>

/** What the sandbox bank is asked to play in a call: the consent of the call has expired. */
export type BankDrill = Extract<Drill, 'consent-expired'>

/** Signs the identity of the caller for the backend (RFC 7515; typ `gateway-identity+jwt`). */
export interface IdentitySigner {
  /**
   * The compact JWS for the calls of an application to an API version, with a
   * client certificate or without one: a cached one, or on the first call and
   * for a drill a new one. It is at most 45 s old, so it remains valid for at least another 15 s.
   *
   * @param holder of this caller, to this version
   */
  tokenFor(
    caller: IdentifiedCaller,
    version: IdentifiedVersion,
    certificate: ClientCertificate | undefined,
    drill?: BankDrill | undefined,
    holder?: TokenHolder,
  ): string
  /** Public keys for the backend, as `/.well-known/jwks.json` serves them. Another object after each change. */
  jwks(): JSONWebKeySet
}

export interface IdentitySignerOptions {
  /** What {@link readIdentityKeys} reads. */
  readonly keys: Pick<Watched<string>, 'current' | 'onChange'>
  readonly audience: string
  /** Milliseconds since 1970, for the times in a token. */
  readonly now: () => number
  /** Monotonic milliseconds, for reuse: the machine's clock may step back. */
  readonly monotonic: () => number
}

/**
 * Creates the signer. Signing is the most expensive step of a call, so a token
 * serves all calls of an application to a version with one certificate, and is renewed between calls
 * before it is too old. Only the first call after a start, a change of the
 * application or a pause waits for the signature. The compact form is written
 * here, because signing with jose uses promises and another thread: 34 µs
 * instead of 60 to 140.
 *
 * @throws when the keys are not as {@link readIdentityKeys} needs them
 */
export async function createIdentitySigner(
  options: IdentitySignerOptions,
): Promise<IdentitySigner> {
  const { keys, audience, now, monotonic } = options
  let active = await activeKeys(keys.current())
  let tokens = new WeakMap<IdentifiedCaller, TokensOfCaller>()
  // One change after the other, so that the newest wins.
  let changing = Promise.resolve()
  keys.onChange((text) => {
    changing = changing.then(async () => {
      active = await activeKeys(text)
      // A token that the former key signed might outlive the publication of that key.
      tokens = new WeakMap()
    })
  })

  function make(
    caller: IdentifiedCaller,
    { api, version }: IdentifiedVersion,
    certificate: ClientCertificate | undefined,
    drill: BankDrill | undefined,
  ): string {
    const { applicationId, applicationName, isStrict, seals, redirectOrigins } = caller
    const issuedAt = Math.floor(now() / 1000)
    const claims = base64url({
      api,
      version,
      iss: 'tollgate',
      aud: audience,
      sub: applicationId,
      name: applicationName,
      ...(isStrict ? { strict: true, seals } : {}),
      // A strict application without origins may name no address; any other may name every address.
      ...(isStrict || redirectOrigins.length > 0 ? { redirects: redirectOrigins } : {}),
      ...(certificate === undefined ? {} : claimsOf(certificate)),
      ...(drill === undefined ? {} : { drill }),
      iat: issuedAt,
      exp: issuedAt + lifetimeSeconds,
    })
    const { header, signing } = active
    const signed = `${header}.${claims}`
    return `${signed}.${sign(null, Buffer.from(signed), signing).toString('base64url')}`
  }

  function renew(
    token: IdentityToken,
    caller: IdentifiedCaller,
    version: IdentifiedVersion,
    certificate: ClientCertificate | undefined,
  ): void {
    token.jws = make(caller, version, certificate, undefined)
    token.madeAt = monotonic()
    token.isRenewing = false
  }

  function tokensOfCaller(
    caller: IdentifiedCaller,
    certificate: ClientCertificate | undefined,
  ): TokensOfVersions {
    let ofCaller = tokens.get(caller)
    if (ofCaller === undefined) {
      ofCaller = { plain: new WeakMap(), certified: new WeakMap() }
      tokens.set(caller, ofCaller)
    }
    return tokensOf(ofCaller, certificate)
  }

  return {
    jwks: () => active.jwks,

    tokenFor(caller, version, certificate, drill, holder) {
      // Never cached, so that no other call can get it.
      if (drill !== undefined) return make(caller, version, certificate, drill)
      const { signing } = active
      const held = certificate === undefined ? holder?.token : undefined
      let token =
        held?.signing === signing ? held : tokensOfCaller(caller, certificate).get(version)
      if (token === undefined) {
        const jws = make(caller, version, certificate, undefined)
        token = { madeAt: monotonic(), jws, isRenewing: false, signing }
        tokensOfCaller(caller, certificate).set(version, token)
      }
      if (holder !== undefined && certificate === undefined) holder.token = token
      const age = monotonic() - token.madeAt
      if (age >= reuseMs) renew(token, caller, version, certificate)
      else if (age >= renewMs && !token.isRenewing) {
        token.isRenewing = true
        setImmediate(() => {
          try {
            renew(token, caller, version, certificate)
          } catch {
            // The call that finds the token too old signs by itself, and gets the error.
            token.isRenewing = false
          }
        })
      }
      return token.jws
    },
  }
}

function tokensOf(
  { plain, certified }: TokensOfCaller,
  certificate: ClientCertificate | undefined,
): TokensOfVersions {
  if (certificate === undefined) return plain
  const known = certified.get(certificate)
  if (known !== undefined) return known
  const made: TokensOfVersions = new WeakMap()
  certified.set(certificate, made)
  return made
}

/** The certificate as RFC 8705, 3.1 names it, and what its PSD2 statement says. */
function claimsOf({ thumbprint, roles, number }: ClientCertificate) {
  return { cnf: { 'x5t#S256': thumbprint }, tpp: { roles, number } }
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** The keys of IDENTITY_PRIVATE_KEY. */
export interface IdentityKeys {
  /** Signs. */
  readonly signing: KeyObject
  /** The public half of each, the signing one first. */
  readonly published: readonly KeyObject[]
}

/**
 * Reads Ed25519 keys in PEM, one after the other. The first is private (PKCS
 * #8) and signs. All are published: the next key before it signs, and the
 * previous key while its tokens are valid. Public halves are enough for them.
 *
 * @throws when a key is of another kind, or the first one is public
 */
export function readIdentityKeys(pem: string): IdentityKeys {
  const blocks = pem.match(/-----BEGIN [A-Z ]+-----[\s\S]+?-----END [A-Z ]+-----/g) ?? []
  const published = blocks.map((block) => readKey(block, createPublicKey))
  const [first] = blocks
  if (first === undefined) throw new Error(expectedKeys)
  return { signing: readKey(first, createPrivateKey), published }
}

const expectedKeys =
  'IDENTITY_PRIVATE_KEY: must be an Ed25519 private key in PKCS #8 PEM, and perhaps further Ed25519 keys after it (e.g. the output of: openssl genpkey -algorithm ed25519)'

function readKey(block: string, create: (pem: string) => KeyObject): KeyObject {
  let key: KeyObject
  try {
    key = create(block)
  } catch {
    // Without the cause: OpenSSL's message about text that is not a key does not help.
    throw new Error(expectedKeys)
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(expectedKeys)
  return key
}

async function activeKeys(pem: string) {
  const { signing, published } = readIdentityKeys(pem)
  const keys = new Map<string, JWK>()
  for (const key of published) {
    const jwk = await exportJWK(key)
    const kid = await calculateJwkThumbprint(jwk)
    keys.set(kid, { ...jwk, kid, alg: 'EdDSA', use: 'sig' })
  }
  const [kid] = keys.keys()
  return {
    signing,
    header: base64url({ alg: 'EdDSA', typ: 'gateway-identity+jwt', kid }),
    jwks: { keys: [...keys.values()] },
  }
}
