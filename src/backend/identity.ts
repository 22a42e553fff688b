import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { BankError } from './bank-error.ts'

/** Header with the identity of the caller; only the gateway can sign it. */
export const identityHeader = 'gateway-identity'

/** Longest lifetime of a token in seconds; our gateway never signs a longer one. */
const lifetimeSecondsMax = 60
/** Seconds the clocks of gateway and backend may differ. */
const toleranceSeconds = 5
/** Tokens remembered as verified: one per application and API version of the last seconds. */
const rememberedMax = 10_000

/** What a token says: who calls which version. */
export interface Identity {
  readonly applicationId: string
  readonly api: string
  readonly version: string
  /** Undefined from a gateway that leaves it to method and path. */
  readonly operation: string | undefined
  /** How its developer calls the application; undefined from a gateway that does not say it. */
  readonly applicationName: string | undefined
  /** Whether the application signs its calls and is held to everything the standard has. */
  readonly isStrict: boolean
  /** Thumbprints of the certificates that a strict application signs with; undefined from a gateway that does not say it. */
  readonly seals: readonly string[] | undefined
  /** The only origins to which PSUs may be sent back; undefined: any. */
  readonly redirectOrigins: readonly string[] | undefined
  /** Whether the call is a drill in which its consent has expired. */
  readonly isConsentExpired: boolean
}

export interface IdentityOptions {
  /** Finds the gateway's public key, by `kid` or as the one there is. */
  readonly key: JWTVerifyGetKey
  readonly audience: string
}

/**
 * Creates the check of `Gateway-Identity` (docs/architecture.md, Identity): a JWS by jose, EdDSA,
 * typ `gateway-identity+jwt`. The gateway sends a token up to 45 s long for one
 * application and API version, so verified ones are remembered until they expire.
 *
 * @returns a function that throws 401 CERTIFICATE_MISSING without a token and
 *   CERTIFICATE_INVALID for one that does not hold (through the gateway neither happens)
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
    // The oldest goes first: a Map keeps the order of insertion.
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
      const {
        sub,
        name,
        iat = 0,
        exp = 0,
        api,
        version,
        operation,
        strict,
        seals,
        redirects,
        drill,
      } = payload
      const isShort = exp - iat <= lifetimeSecondsMax
      const isPresent = iat * 1000 <= now() + toleranceSeconds * 1000
      if (
        typeof sub !== 'string' ||
        sub === '' ||
        typeof api !== 'string' ||
        typeof version !== 'string' ||
        (operation !== undefined && typeof operation !== 'string') ||
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
          operation,
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
      // Fetching the keys failed: says nothing about the token.
      throw unavailable(error)
    }
  }
}

/** A claim that is a list of texts; undefined from a gateway that does not say it. */
function textsOf(claim: unknown): readonly string[] | undefined {
  return Array.isArray(claim) ? claim.filter((entry) => typeof entry === 'string') : undefined
}

/** The refusal of a token that does not hold, or not for this operation. */
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
