import type { Refusal } from '../../../platform/problem.ts'
import { Tally } from '../../../platform/tally.ts'
import type { AuthenticatedCall, Call } from '../call.ts'
import type { Judge } from '../check.ts'

/** Maximum number of simultaneous calls in this process; 0 means unlimited. */
export interface ConcurrencyOptions {
  readonly callsPerApplication: number
  readonly callsPerAddress: number
}

/**
 * Refuses a call when its application or address has too many calls in
 * progress, so that a slow application leaves room for others. A call is in
 * progress from this check until its response was sent, including the upload of
 * its body.
 */
export function concurrency({
  callsPerApplication,
  callsPerAddress,
}: ConcurrencyOptions): Judge<AuthenticatedCall> {
  const applications = new Tally()
  const addresses = new Tally()
  return (call, next) => {
    const { applicationId } = call.caller
    if (!hold(call, applications, applicationId, callsPerApplication)) {
      next(exceeded(`The application has ${callsPerApplication} calls under way already.`))
    } else if (!hold(call, addresses, call.address, callsPerAddress)) {
      next(exceeded(`This address has ${callsPerAddress} calls under way already.`))
    } else next(call)
  }
}

/** @returns whether there was room; the call keeps its place until its end */
function hold(call: Call, underway: Tally, name: string, max: number): boolean {
  if (max === 0) return true
  if (underway.of(name) >= max) return false
  underway.add(name)
  call.holds(() => underway.remove(name))
  return true
}

function exceeded(detail: string): Refusal {
  return { code: 'CONCURRENCY_EXCEEDED', detail, headers: { 'retry-after': '1' } }
}
