import { callCount } from '../../../catalogue/call-count.ts'
import { unknownClient } from '../../../platform/http/client-address.ts'
import type { Refusal } from '../../../platform/http/problem.ts'
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
    const { applicationId, developerId } = call.caller
    const application = applications.of(applicationId)
    const developer = developers.of(developerId)
    const address = addresses.of(call.address)
    if (applications.isFull(application)) next(exceeded('The application', applications))
    else if (developers.isFull(developer)) next(exceeded('The developer', developers))
    else if (addresses.isFull(address) && call.address !== unknownClient)
      next(exceeded('This address', addresses))
    else {
      application.underway += 1
      developer.underway += 1
      address.underway += 1
      call.atEnd(() => {
        application.underway -= 1
        developer.underway -= 1
        address.underway -= 1
      })
      next(call)
    }
  }
}

/** The calls in progress of one name. */
interface Underway {
  underway: number
}

/** Names without calls in progress that are remembered, so that a table of names does not change with each call. */
const idleMax = 10_000

/** Counts calls in progress by name. */
class Places {
  readonly max: number
  readonly #names = new Map<string, Underway>()
  /** Number of names at which those without calls are forgotten. */
  #room = idleMax

  constructor(max: number) {
    this.max = max
  }

  /** What the calls of a name share; to be counted in at once. */
  of(name: string): Underway {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    if (this.#names.size >= this.#room) this.#forgetIdle()
    const made = { underway: 0 }
    this.#names.set(name, made)
    return made
  }

  isFull({ underway }: Underway): boolean {
    return this.max !== 0 && underway >= this.max
  }

  #forgetIdle(): void {
    for (const [name, { underway }] of this.#names) if (underway === 0) this.#names.delete(name)
    this.#room = this.#names.size + idleMax
  }
}

function exceeded(who: string, { max }: Places): Refusal {
  return {
    code: 'CONCURRENCY_EXCEEDED',
    detail: `${who} has ${callCount(max)} under way already.`,
    headers: { 'retry-after': '1' },
  }
}
