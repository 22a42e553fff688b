// This folder signs people in through the bank's OpenID Connect provider. `provider.ts` talks to it, `transaction.ts`
// is what the browser keeps meanwhile, `judge-claims.ts` says which answers the portal accepts. The routes are in
// `api/routes/oidc.ts`, the accounts in `stores/accounts/identities.ts`.

import type { Configuration } from 'openid-client'
import { isLoopback } from '../../platform/http/loopback.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import type { ProvidedPerson } from '../stores/accounts/identities.ts'
import { type Claims, checkIsFresh, personOf } from './judge-claims.ts'
import { refused, unavailable } from './refused.ts'

/** Where the provider sends people back to; the portal is registered there with its origin and this path. */
export const callbackPath = '/oidc/callback'

/** What ties an answer of the provider to one question. */
export interface Checks {
  readonly state: string
  readonly nonce: string
  /** The code verifier of PKCE (RFC 7636). */
  readonly verifier: string
}

/** The bank's OpenID Connect provider. */
export interface OidcProvider {
  /** Name on the button. */
  readonly label: string
  /**
   * The address where a person signs in, and what its answer is checked with.
   * @param input.isAgain requires a new sign-in even from a person who has just signed in
   * @throws {PortalError} PROVIDER_UNAVAILABLE
   */
  begin(input: { isAgain: boolean }): Promise<{ url: string; checks: Checks }>
  /**
   * Exchanges the code of an answer for the person. State, issuer, audience, nonce, times and signature are right.
   * @param input.query of the request to {@link callbackPath}, with its question mark
   * @param input.askedAgainAt milliseconds since 1970: the person signed in at the provider after that
   * @throws {PortalError} PROVIDER_UNAVAILABLE, PROVIDER_REFUSED
   */
  finish(input: {
    query: string
    checks: Checks
    askedAgainAt: number | undefined
  }): Promise<ProvidedPerson>
  /** Where a browser ends the session at the provider; undefined if it has no such address or does not answer. */
  signOutUrl(): Promise<string | undefined>
}

/** Seconds that one request to the provider may take. */
const requestSeconds = 5

export interface OidcProviderOptions {
  readonly settings: Settings
  /** The current OIDC_CLIENT_SECRET. */
  readonly clientSecret: (() => string) | undefined
  /** The portal's own origin. */
  readonly portalUrl: () => string
  /** Called with the reason why the provider could not be used. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Creates the client of the provider; undefined without OIDC_ISSUER. Reads the
 * provider's discovery document when the first person signs in, and again
 * after a failure: the portal starts without the provider.
 */
export function createOidcProvider(options: OidcProviderOptions): OidcProvider | undefined {
  const { settings, clientSecret, portalUrl, onFailure } = options
  const { oidcIssuer: issuer, oidcClientId, oidcAcrValues } = settings
  if (issuer === undefined) return undefined
  const server = new URL(issuer)
  let found: Promise<Configuration> | undefined
  let foundWith: string | undefined

  /** Loads the library with the first sign-in, as that of passkeys. */
  async function discover(): Promise<Configuration> {
    const client = await import('openid-client')
    const isPlain = server.protocol === 'http:' && isLoopback(server.hostname)
    return client.discovery(server, oidcClientId, foundWith, undefined, {
      timeout: requestSeconds,
      // The code flow may trust TLS in place of the signature (OpenID Connect Core 1.0, 3.1.3.7); we trust both.
      execute: [
        client.enableNonRepudiationChecks,
        ...(isPlain ? [client.allowInsecureRequests] : []),
      ],
    })
  }

  async function configuration(): Promise<Configuration> {
    if (foundWith !== clientSecret?.()) found = undefined
    foundWith = clientSecret?.()
    found ??= discover()
    try {
      return await found
    } catch (cause) {
      found = undefined
      onFailure(cause)
      throw unavailable(cause)
    }
  }

  return {
    label: settings.oidcLabel,

    async begin({ isAgain }) {
      const config = await configuration()
      const client = await import('openid-client')
      const checks = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      }
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: `${portalUrl()}${callbackPath}`,
        scope: 'openid email profile',
        response_type: 'code',
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
        ...(oidcAcrValues.length === 0 ? {} : { acr_values: oidcAcrValues.join(' ') }),
        ...(isAgain ? { prompt: 'login', max_age: '0' } : {}),
      })
      return { url: url.href, checks }
    },

    async finish({ query, checks, askedAgainAt }) {
      const config = await configuration()
      const client = await import('openid-client')
      const answer = new URL(`${portalUrl()}${callbackPath}${query}`)
      let claims: Claims
      try {
        const tokens = await client.authorizationCodeGrant(config, answer, {
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          pkceCodeVerifier: checks.verifier,
          idTokenExpected: true,
          // Requires `auth_time`, which is compared with the time of the question below.
          ...(askedAgainAt === undefined ? {} : { maxAge: 86_400 }),
        })
        const signed = tokens.claims()
        if (signed === undefined) throw new Error('the token response has no ID token')
        const about =
          config.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : await client.fetchUserInfo(config, tokens.access_token, signed.sub)
        claims = { ...about, ...signed }
      } catch (cause) {
        onFailure(cause)
        throw isAway(cause) ? unavailable(cause) : refused(whyNot(cause), cause)
      }
      if (askedAgainAt !== undefined) checkIsFresh(claims, askedAgainAt)
      return personOf(claims, settings)
    },

    async signOutUrl() {
      const config = await configuration().catch(() => undefined)
      if (config?.serverMetadata().end_session_endpoint === undefined) return undefined
      const { buildEndSessionUrl } = await import('openid-client')
      const back = { post_logout_redirect_uri: `${portalUrl()}/` }
      return buildEndSessionUrl(config, back).href
    },
  }
}

/** No answer, or 5xx. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('status' in error && typeof error.status === 'number') return error.status >= 500
  const { cause } = error
  if (cause instanceof Response) return cause.status >= 500
  const code = 'code' in error ? error.code : undefined
  return code === 'OAUTH_TIMEOUT' || error.message === 'fetch failed' || isFetchFailure(cause)
}

/** The library wraps what `fetch` throws. */
function isFetchFailure(cause: unknown): boolean {
  return cause instanceof TypeError && cause.message === 'fetch failed'
}

/** Explains a failed sign-in: a cancellation by its code of RFC 6749, 4.1.2.1; one message for anything else. */
function whyNot(error: unknown): string {
  const code = error instanceof Error && 'error' in error ? error.error : undefined
  return code === 'access_denied'
    ? 'You cancelled the sign-in, or the sign-in service does not allow you to use this portal.'
    : 'The response of the sign-in service does not match this sign-in. Start again.'
}
