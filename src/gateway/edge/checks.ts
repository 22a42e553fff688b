import type { Counter } from '../counters/counter.ts'
import type { KeyAuthenticator } from '../registry/registry.ts'
import type { GrantedCall } from './call.ts'
import { Checks } from './check.ts'
import { authenticate } from './checks/authenticate.ts'
import { body } from './checks/body.ts'
import { type ConcurrencyOptions, concurrency } from './checks/concurrency.ts'
import { entitle } from './checks/entitle.ts'
import { expect } from './checks/expect.ts'
import { headers } from './checks/headers.ts'
import { limit } from './checks/limit.ts'
import { preflight } from './checks/preflight.ts'
import { receive } from './checks/receive.ts'
import { type RoomOptions, room } from './checks/room.ts'
import { route } from './checks/route.ts'
import { target } from './checks/target.ts'
import type { FailureThrottle } from './failure-throttle.ts'
import type { Uploads } from './request/uploads.ts'

export interface ChecksOptions {
  readonly registry: KeyAuthenticator
  readonly failures: FailureThrottle
  /** What `limit` asks for a call, and what `expect` looks at before a body comes. */
  readonly counter: Pick<Counter, 'grant' | 'peek'>
  readonly concurrency: ConcurrencyOptions
  readonly uploads: Pick<Uploads, 'receive'>
  readonly hasRoom: RoomOptions['hasRoom']
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * The checks of a call, in order; each has a file of its name in `checks/`. The
 * cheapest come first. The limit comes last, so that only a call that will be
 * forwarded is counted.
 */
export function createChecks(options: ChecksOptions): Checks<GrantedCall> {
  const { registry, failures, counter, uploads, hasRoom, now } = options
  return Checks.first('target', target)
    .row('headers', headers)
    .row('preflight', preflight({ now }))
    .row('route', route({ now }))
    .row('body', body)
    .row('authenticate', authenticate({ registry, failures }))
    .row('entitle', entitle({ now }))
    .row('concurrency', concurrency(options.concurrency))
    .row('expect', expect({ counter, now }))
    .row('receive', receive({ uploads }))
    .row('room', room({ hasRoom }))
    .row('limit', limit({ counter, now }))
}
