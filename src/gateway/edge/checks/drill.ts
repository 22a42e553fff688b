import type { ApiVersion } from '../../../catalogue/catalogue.ts'
import { consentHeader, drillHeader, drills, drillsOf } from '../../../platform/http/drills.ts'
import type { Refusal } from '../../../platform/http/problem.ts'
import type { EntitledCall } from '../call.ts'
import { forwardedFields } from '../connection-names.ts'
import { type DrillThrottle, drillsPerMinute } from '../drill-throttle.ts'
import type { Judge } from '../run-checks.ts'

export interface DrillOptions {
  /** Undefined: this gateway has no sandbox, so it has no drills. */
  readonly throttle: DrillThrottle | undefined
  /** Whether calls of a version go to the sandbox bank. */
  readonly isAtSandbox: (version: ApiVersion) => boolean
}

const notOffered: Refusal = {
  code: 'HEADERS_INVALID',
  detail: `This gateway has no sandbox (SANDBOX=on), so it makes no drills. Send the call without the header ${drillHeader}.`,
}
const notAtSandbox: Refusal = {
  code: 'HEADERS_INVALID',
  detail: `Calls of this API do not go to the sandbox, because it has a backend of its own, so it has no drills. Send the call without the header ${drillHeader}.`,
}
const unknown: Refusal = {
  code: 'HEADERS_INVALID',
  detail: `The header ${drillHeader} has an unknown value. It may be ${drills.slice(0, -1).join(', ')} or ${drills.at(-1)}.`,
}
const withoutConsent: Refusal = {
  code: 'HEADERS_INVALID',
  detail: `The header ${drillHeader} may be consent-expired only in a call with the header ${consentHeader}, of an operation that takes a consent.`,
}

/**
 * Makes a call with the header `Sandbox-Drill` a drill: its answer is that of a
 * bad moment, and no plan counts it. It comes after all checks of the caller,
 * so a drill needs what a call needs. A drill that cannot be made is refused,
 * never ignored: its client expects another answer than a call would get.
 */
export function drill({ throttle, isAtSandbox }: DrillOptions): Judge<EntitledCall> {
  return (call, next) => {
    const value = call.fields.drill
    if (value === undefined) {
      next(call)
      return
    }
    if (throttle === undefined) {
      next(notOffered)
      return
    }
    if (!isAtSandbox(call.version)) {
      next(notAtSandbox)
      return
    }
    // Until it is made: metrics, usage and availability leave out a refused drill, too.
    call.drilled('refused')
    const asked = drills.find((each) => each === value)
    if (asked === undefined) {
      next(unknown)
      return
    }
    if (asked === 'consent-expired' && !namesConsent(call)) {
      next(withoutConsent)
      return
    }
    const retryAfterSeconds = throttle.count(call.caller.developerId)
    if (retryAfterSeconds !== 0) {
      next(tooMany(retryAfterSeconds))
      return
    }
    call.drilled(asked)
    next(call)
  }
}

/** Whether the bank will look at a consent. Without one it would carry out the call, which no plan counts. */
function namesConsent({ fields, operation }: EntitledCall): boolean {
  const names = forwardedFields(fields).filter((_, at) => at % 2 === 0)
  const isForwarded = names.some((name) => name.toLowerCase() === consentHeader.toLowerCase())
  return isForwarded && drillsOf(operation.declared).includes('consent-expired')
}

function tooMany(retryAfterSeconds: number): Refusal {
  return {
    code: 'ATTEMPTS_EXCEEDED',
    detail: `You have made ${drillsPerMinute} drills within a minute. Calls without the header ${drillHeader} go on.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  }
}
