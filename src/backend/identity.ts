import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { BankError } from './bank-error.ts'

/** Header with the identity of the caller; only the gateway can sign it. */
export const identityHeader = 'gateway-identity'

/** Longest lifetime of a token in seconds; our gateway never signs a longer one. */
const lifetimeSecondsMax = 60
/** Seconds by which the clocks of gateway and backend may differ. */
const toleranceSeconds = 5
/** Maximum number of verified tokens in the cache: one per application and API version of the last seconds. */
const rememberedMax = 10_000

/** The content of a token: the calling application and the API version. */
export interface Identity {
  readonly applicationId: string
  readonly api: string
  readonly version: string
  /** The name that the developer gave the application; undefined if the gateway does not send it. */
  readonly applicationName: string | undefined
  /** Whether the application must sign its calls and follow the whole standard. */
  readonly isStrict: boolean
  /** Thumbprints of the signing certificates of a strict application; undefined if the gateway does not send them. */
  readonly seals: readonly string[] | undefined
  /** The only origins to which PSUs may be sent back; undefined: any. */
  readonly redirectOrigins: readonly string[] | undefined
  /** Whether the call is a drill in which its consent has expired. */
  readonly isConsentExpired: boolean
}

export interface IdentityOptions {
  /** Finds the gateway's public key, by `kid` or as the only key. */
  readonly key: JWTVerifyGetKey
  readonly audience: string
}

/**
 * Creates the check of `Gateway-Identity` (docs/architecture.md, Identity): a JWS by jose, EdDSA,
 * typ `gateway-identity+jwt`. The gateway reuses a token for one application and
 * API version for up to 45 s, so the check caches verified ones until they expire.
 *
 * @returns a function that throws 401 CERTIFICATE_MISSING without a token and
 *   CERTIFICATE_INVALID for one that is not valid (neither happens through the gateway)
 */
export function createIdentityCheck(options: IdentityOptions & { readonly now: () => number }) {
  const { key, audience, now } = options
  const verified = new Map<string, { readonly identity: Identity; readonly until: number }>()

  return async function identify(token: string | undefined): Promise<Identity> {
    if (token === undefined || token === '') {
      throw new BankError('CERTIFICATE_MISSING', 'The call carries no identity of the gateway')
    }
    const known = verified.get(token)
    if (known !== undefined && now() < known.until) return known.identity
    const fresh = await verify(token)
    // Evicts the oldest: a Map keeps the order of insertion.
    if (verified.size >= rememberedMax) verified.delete(verified.keys().next().value ?? '')
    verified.set(token, fresh)
    return fresh.identity
  }

  async function verify(token: string) {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['EdDSA'],
        typ: 'gateway-identity+jwt',
        issuer: 'tollgate',
        audience,
        requiredClaims: ['sub', 'iat', 'exp', 'api', 'version'],
        clockTolerance: toleranceSeconds,
        currentDate: new Date(now()),
      })
      const { sub, name, iat = 0, exp = 0, api, version, strict, seals, redirects, drill } = payload
      const isShort = exp - iat <= lifetimeSecondsMax
      const isPresent = iat * 1000 <= now() + toleranceSeconds * 1000
      if (
        typeof sub !== 'string' ||
        sub === '' ||
        typeof api !== 'string' ||
        typeof version !== 'string' ||
        !isShort ||
        !isPresent
      ) {
        throw invalid()
      }
      return {
        identity: {
          applicationId: sub,
          api,
          version,
          applicationName: typeof name === 'string' ? name : undefined,
          isStrict: strict === true,
          seals: textsOf(seals),
          redirectOrigins: textsOf(redirects),
          isConsentExpired: drill === 'consent-expired',
        },
        until: (exp + toleranceSeconds) * 1000,
      }
    } catch (error) {
      if (error instanceof BankError) throw error
      if (error instanceof errors.JWKSTimeout) throw unavailable(error)
      if (error instanceof errors.JOSEError) throw invalid(error)
      // The fetch of the keys failed, so the token may be valid.
      throw unavailable(error)
    }
  }
}

/** A claim that is a list of texts; undefined if the token does not have it. */
function textsOf(claim: unknown): readonly string[] | undefined {
  return Array.isArray(claim) ? claim.filter((entry) => typeof entry === 'string') : undefined
}

/** The error for a token that is not valid, or not for this API version. */
export function invalid(cause?: unknown): BankError {
  return new BankError('CERTIFICATE_INVALID', 'The identity of the gateway does not hold', {
    cause,
  })
}

function unavailable(cause: unknown): BankError {
  return new BankError('SERVICE_UNAVAILABLE', 'The identity of the call cannot be checked now', {
    cause,
  })
}
