import type { Refusal } from '../../platform/problem.ts'
import type { KeyAuthenticator } from '../registry/registry.ts'
import type { Call } from './call.ts'
import { type Check, guarded, type Next } from './check.ts'
import type { FailureThrottle } from './failure-throttle.ts'

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
    'A key in the query is not accepted (it would stay in logs). Send it in the header X-API-Key.',
  headers: challenge,
}
const keyDoubled: Refusal = {
  code: 'HEADERS_INVALID',
  detail: 'Send the API key exactly once, in X-API-Key or in X-IBM-Client-Id.',
}
/** One text for unknown, malformed, expired and revoked: the answer tells a guesser nothing. */
const keyInvalid: Refusal = { code: 'KEY_INVALID', headers: challenge }
const registryUnavailable: Refusal = {
  code: 'REGISTRY_UNAVAILABLE',
  headers: { 'retry-after': '1' },
}

const keyInQueryPattern = /[?&](?:(?:x-)?api[-_]?key|x-ibm-client-id)=|[=]tg_[A-Za-z0-9]{12}_/i

/**
 * Finds out which application calls, by its API key. Failures are counted per
 * client address and answered 429 above the allowance; a valid key never waits
 * for the failures of its neighbours.
 */
export function authenticate({ registry, failures }: AuthenticateOptions): Check {
  function fail(call: Call, refusal: Refusal, next: Next): void {
    failures.count(call.address, (retryAfterSeconds) => {
      if (retryAfterSeconds === 0) next(refusal)
      else {
        const headers = { 'retry-after': String(retryAfterSeconds) }
        next({ code: 'ATTEMPTS_EXCEEDED', headers })
      }
    })
  }

  return (call, next) => {
    const { key } = call.fields
    if (key === 'doubled') {
      next(keyDoubled)
      return
    }
    if (call.query !== '' && keyInQueryPattern.test(call.query)) {
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
        else {
          call.authenticated(outcome)
          next()
        }
      }),
    )
  }
}
