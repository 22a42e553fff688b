import type { Refusal } from '../../../platform/http/problem.ts'
import type { KeyAuthenticator } from '../../../registry/registry.ts'
import type { AuthenticatedCall, CertifiedCall } from '../call.ts'
import type { FailureThrottle } from '../failure-throttle.ts'
import { hasKeyInQuery } from '../request/key-in-query.ts'
import { type Check, guarded, type Next } from '../run-checks.ts'

export interface AuthenticateOptions {
  readonly registry: KeyAuthenticator
  readonly failures: FailureThrottle
}

const challenge = { 'www-authenticate': 'ApiKey realm="tollgate"' }

const keyMissing: Refusal = {
  code: 'KEY_MISSING',
  detail: 'Send the API key in the header X-API-Key.',
  headers: challenge,
}
const keyInQuery: Refusal = {
  code: 'KEY_MISSING',
  detail:
    'The gateway does not accept a key in the query, because URLs end up in logs. Send it in the header X-API-Key.',
  headers: challenge,
}
const keyDoubled: Refusal = {
  code: 'HEADERS_INVALID',
  detail:
    'The request has two headers with an API key. Send the key once, in X-API-Key or in its alias X-IBM-Client-Id, even if both have the same value.',
}
/** The same text for unknown, malformed, expired and revoked keys, to give attackers no hint. */
const keyInvalid: Refusal = {
  code: 'KEY_INVALID',
  detail:
    'The key is unknown, malformed, expired or revoked. Copy it again, or create a new one on the portal.',
  headers: challenge,
}
const registryUnavailable: Refusal = {
  code: 'REGISTRY_UNAVAILABLE',
  headers: { 'retry-after': '1' },
}

/**
 * Finds the application that makes the call, by its API key. Calls without a
 * valid key are counted per client address; above the allowance they get 429
 * instead of 401. The count follows the look-up, so a valid key is always
 * accepted. It does not slow down guessing: a key is safe because it is long.
 */
export function authenticate({
  registry,
  failures,
}: AuthenticateOptions): Check<CertifiedCall, AuthenticatedCall> {
  function fail(call: CertifiedCall, refusal: Refusal, next: Next<never>): void {
    const retryAfterSeconds = failures.count(call.address)
    if (retryAfterSeconds === 0) next(refusal)
    else {
      const headers = { 'retry-after': String(retryAfterSeconds) }
      next({ code: 'ATTEMPTS_EXCEEDED', headers })
    }
  }

  return (call, next) => {
    const { key } = call.fields
    if (key === 'doubled') {
      next(keyDoubled)
      return
    }
    if (hasKeyInQuery(call.query, call.version, call.operation)) {
      next(keyInQuery)
      return
    }
    if (key === undefined) {
      fail(call, keyMissing, next)
      return
    }
    registry.authenticate(
      key.value,
      guarded(next, (outcome) => {
        if (outcome === 'invalid') fail(call, keyInvalid, next)
        else if (outcome === 'unreachable') next(registryUnavailable)
        else next(call.authenticated(outcome))
      }),
    )
  }
}
