import type { KeyAuthenticator } from '../../registry/registry.ts'
import type { Counter } from '../counters/counter.ts'
import type { GrantedCall } from './call.ts'
import { type AddressOptions, address } from './checks/address.ts'
import { authenticate } from './checks/authenticate.ts'
import { type BodyOptions, body } from './checks/body.ts'
import { certificate } from './checks/certificate.ts'
import { type ConcurrencyOptions, concurrency } from './checks/concurrency.ts'
import { type DrillOptions, drill } from './checks/drill.ts'
import { entitle } from './checks/entitle.ts'
import { expect } from './checks/expect.ts'
import { headers } from './checks/headers.ts'
import { holder } from './checks/holder.ts'
import { limit } from './checks/limit.ts'
import { preflight } from './checks/preflight.ts'
import { receive } from './checks/receive.ts'
import { type RoomOptions, room } from './checks/room.ts'
import { route } from './checks/route.ts'
import { target } from './checks/target.ts'
import type { ClientCertificates } from './client-certificates.ts'
import { createDrillThrottle } from './drill-throttle.ts'
import { createDrilledGrant, type DrilledGrantOptions } from './drilled-grant.ts'
import type { FailureThrottle } from './failure-throttle.ts'
import type { Rehearse } from './rehearse.ts'
import type { Uploads } from './request/uploads.ts'
import { Checks } from './run-checks.ts'

export interface ChecksOptions extends AddressOptions, BodyOptions {
  readonly registry: KeyAuthenticator
  readonly failures: FailureThrottle
  /** Undefined: the settings ask for no client certificates. */
  readonly certificates: ClientCertificates | undefined
  /** What `limit` asks for a call, and what `expect` looks at before a body comes. */
  readonly counter: Pick<Counter, 'grant' | 'peek'>
  readonly rehearse: Rehearse
  /** Undefined: no call may be a drill, because the backend is not the sandbox bank. */
  readonly drills:
    | (Pick<DrilledGrantOptions, 'awayGrant'> & Pick<DrillOptions, 'isAtSandbox'>)
    | undefined
  readonly concurrency: ConcurrencyOptions
  readonly uploads: Pick<Uploads, 'receive'>
  readonly hasRoom: RoomOptions['hasRoom']
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

/**
 * The checks of a call, in order; each has a file of its name in `checks/`. The
 * cheapest come first. The limit comes last, so that only a call that will be
 * forwarded is counted.
 */
export function createChecks(options: ChecksOptions): Checks<GrantedCall> {
  const { registry, failures, certificates, counter, rehearse, uploads, hasRoom, now, monotonic } =
    options
  const { isAddressKnown, drills } = options
  const isAtSandbox = drills?.isAtSandbox ?? (() => false)
  const drilledGrant = drills && createDrilledGrant({ counter, awayGrant: drills.awayGrant })
  return (
    Checks
      // Splits path and query; refuses every spelling that two programs could read differently.
      .first('target', target)
      // Refuses other HTTP versions, ambiguous fields, upgrades and loops.
      .row('headers', headers)
      // Answers the CORS preflights of the portal's page and `OPTIONS *`, without a key.
      .row('preflight', preflight({ now, hasDrills: isAtSandbox }))
      // Finds version, operation and parameters; refuses unknown paths, other methods and retired versions.
      .row('route', route({ now }))
      // Refuses unclear framing and a declared length above the limit.
      .row('body', body(options))
      // Judges the client's certificate: where it comes from, chain, dates, revocation, role.
      .row('certificate', certificate({ certificates }))
      // Finds the application by its key.
      .row('authenticate', authenticate({ registry, failures }))
      // Refuses a certificate that is not the application's.
      .row('holder', holder({ certificates }))
      // Refuses a key outside the addresses that it was issued for.
      .row('address', address({ isAddressKnown }))
      // Finds its plan, and the buckets that count the call.
      .row('entitle', entitle({ now }))
      // Turns a call that asks for a simulated failure into a drill, or refuses it.
      .row('drill', drill({ throttle: drills && createDrillThrottle(monotonic), isAtSandbox }))
      // Takes a place of its application, of its developer and of its address.
      .row('concurrency', concurrency(options.concurrency))
      // Refuses a used-up limit before a client that asked first sends its body; counts nothing.
      .row('expect', expect({ counter, rehearse, now }))
      // Receives the whole body.
      .row('receive', receive({ uploads, monotonic }))
      // Refuses while the backend's queue is full.
      .row('room', room({ hasRoom }))
      // Counts the call, or refuses it.
      .row('limit', limit({ counter, rehearse, drilledGrant, now }))
  )
}
