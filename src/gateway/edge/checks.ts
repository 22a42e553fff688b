import type { Counter } from '../counters/counter.ts'
import type { KeyAuthenticator } from '../registry/registry.ts'
import { authenticate } from './checks/authenticate.ts'
import { body } from './checks/body.ts'
import type { NamedCheck } from './check.ts'
import { type ConcurrencyOptions, concurrency } from './checks/concurrency.ts'
import { entitle } from './checks/entitle.ts'
import { expect } from './checks/expect.ts'
import type { FailureThrottle } from './failure-throttle.ts'
import { headers } from './checks/headers.ts'
import { limit } from './checks/limit.ts'
import { preflight } from './checks/preflight.ts'
import { receive, type Uploads } from './checks/receive.ts'
import { type RoomOptions, room } from './checks/room.ts'
import { route } from './checks/route.ts'
import { target } from './checks/target.ts'

export interface PipelineOptions {
  readonly registry: KeyAuthenticator
  readonly failures: FailureThrottle
  readonly counter: Counter
  readonly concurrency: ConcurrencyOptions
  readonly uploads: Pick<Uploads, 'receive'>
  readonly hasRoom: RoomOptions['hasRoom']
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * The checks of a call, in order. The cheapest come first. The limit comes
 * last, so that only a call that will be forwarded is counted.
 */
export function createPipeline(options: PipelineOptions): readonly NamedCheck[] {
  const { registry, failures, counter, uploads, hasRoom, now } = options
  return [
    { name: 'target', check: target },
    { name: 'headers', check: headers },
    { name: 'preflight', check: preflight({ now }) },
    { name: 'route', check: route({ now }) },
    { name: 'body', check: body },
    { name: 'authenticate', check: authenticate({ registry, failures }) },
    { name: 'entitle', check: entitle({ now }) },
    { name: 'concurrency', check: concurrency(options.concurrency) },
    { name: 'expect', check: expect({ counter, now }) },
    { name: 'receive', check: receive({ uploads }) },
    { name: 'room', check: room({ hasRoom }) },
    { name: 'limit', check: limit({ counter, now }) },
  ]
}
