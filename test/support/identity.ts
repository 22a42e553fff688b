import {
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTVerifyGetKey,
  SignJWT,
} from 'jose'
import type { BankDrill } from '../../src/gateway/edge/forward/identity.ts'

/** The caller and the operation, as signed by the gateway. */
export interface IdentityClaims {
  readonly applicationId: string
  readonly api: string
  readonly version: string
  readonly name?: string
  readonly redirects?: readonly string[]
  readonly drill?: BankDrill
}

/** Deviations from what a gateway signs, to see them refused. */
export interface IdentityFlaws {
  readonly typ?: string
  readonly issuer?: string
  readonly audience?: string
  /** Seconds from now on. */
  readonly issuedIn?: number
  readonly expiresIn?: number
  /** Signs with an unknown key. */
  readonly isForged?: boolean
}

/** Stands in for the signing side of a gateway. */
export interface TestIdentity {
  readonly audience: string
  readonly key: JWTVerifyGetKey
  /** The public half. */
  readonly jwk: JWK
  /** A token as the gateway makes it, or with flaws. */
  identityFor(claims: IdentityClaims, flaws?: IdentityFlaws): Promise<string>
}

/** Makes an EdDSA key pair and a signer with it. `now` is in milliseconds since 1970. */
export async function createTestIdentity(now: () => number): Promise<TestIdentity> {
  const audience = 'tollgate-backend'
  const real = await generateKeyPair('EdDSA')
  const other = await generateKeyPair('EdDSA')
  const jwk = { ...(await exportJWK(real.publicKey)), kid: 'test', alg: 'EdDSA' }
  return {
    audience,
    jwk,
    key: createLocalJWKSet({ keys: [jwk] }),
    identityFor({ applicationId, ...claims }, flaws = {}) {
      const seconds = Math.floor(now() / 1000)
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'EdDSA', kid: 'test', typ: flaws.typ ?? 'gateway-identity+jwt' })
        .setIssuer(flaws.issuer ?? 'tollgate')
        .setAudience(flaws.audience ?? audience)
        .setSubject(applicationId)
        .setIssuedAt(seconds + (flaws.issuedIn ?? 0))
        .setExpirationTime(seconds + (flaws.expiresIn ?? 60))
        .sign(flaws.isForged === true ? other.privateKey : real.privateKey)
    },
  }
}
