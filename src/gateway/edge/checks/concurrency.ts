import { callCount } from '../../../catalogue/call-count.ts'
import { unknownClient } from '../../../platform/http/client-address.ts'
import type { Refusal } from '../../../platform/http/problem.ts'
import { Tally } from '../../../platform/tally.ts'
import type { AuthenticatedCall } from '../call.ts'
import type { Judge } from '../run-checks.ts'

/** Maximum number of simultaneous calls in this process; 0 means unlimited. */
export interface ConcurrencyOptions {
  readonly callsPerApplication: number
  /** Over all applications of a developer. */
  readonly callsPerDeveloper: number
  readonly callsPerAddress: number
}

/**
 * Refuses a call when its application, developer or address has too many calls
 * in progress, so that a slow application leaves room for others. A call is in
 * progress from this check until its response was sent, including the upload of
 * its body.
 */
export function concurrency({
  callsPerApplication,
  callsPerDeveloper,
  callsPerAddress,
}: ConcurrencyOptions): Judge<AuthenticatedCall> {
  const applications = new Places(callsPerApplication)
  const developers = new Places(callsPerDeveloper)
  const addresses = new Places(callsPerAddress)
  return (call, next) => {
    const { address } = call
    const { applicationId, developerId } = call.caller
    if (applications.isFull(applicationId)) next(exceeded('The application', applications))
    else if (developers.isFull(developerId)) next(exceeded('The developer', developers))
    else if (addresses.isFull(address) && address !== unknownClient)
      next(exceeded('This address', addresses))
    else {
      applications.take(applicationId)
      developers.take(developerId)
      addresses.take(address)
      call.atEnd(() => {
        applications.give(applicationId)
        developers.give(developerId)
        addresses.give(address)
      })
      next(call)
    }
  }
}

/** Counts calls in progress by name; counts nothing without a maximum. */
class Places {
  readonly max: number
  readonly #underway = new Tally()

  constructor(max: number) {
    this.max = max
  }

  isFull(name: string): boolean {
    return this.max !== 0 && this.#underway.of(name) >= this.max
  }

  take(name: string): void {
    if (this.max !== 0) this.#underway.add(name)
  }

  give(name: string): void {
    if (this.max !== 0) this.#underway.remove(name)
  }
}

function exceeded(who: string, { max }: Places): Refusal {
  return {
    code: 'CONCURRENCY_EXCEEDED',
    detail: `${who} has ${callCount(max)} under way already.`,
    headers: { 'retry-after': '1' },
  }
}
