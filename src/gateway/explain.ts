import { randomUUID } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { createRouter } from '../catalogue/router.ts'
import { type ErrorCode, errors } from '../platform/errors.ts'
import type { BucketState, Counter } from './counters/counter.ts'
import { peekedGrant } from './counters/standing.ts'
import { Call, type GrantedCall } from './edge/call.ts'
import { CallResponse } from './edge/call-response.ts'
import type { End } from './edge/check.ts'
import { createChecks } from './edge/checks.ts'
import { readFields } from './edge/request/request-fields.ts'
import type { KeyAuthenticator } from './registry/registry.ts'

/** What the gateway would do with a call, step by step. The gateway counts and forwards nothing. */
export interface Explanation {
  readonly decision: 'admit' | 'refuse'
  /** Undefined when the call is allowed. */
  readonly code?: ErrorCode
  readonly status?: number
  readonly detail?: string
  /** Names of the checks the call passed, in order. */
  readonly passed: readonly string[]
  readonly api?: string
  readonly version?: string
  readonly operation?: string
  readonly applicationId?: string
  readonly keyId?: string
  readonly plan?: string
  readonly limits?: readonly {
    readonly name: string
    readonly calls: number
    readonly windowSeconds: number
    readonly bucket: string
    readonly used: number
    readonly resetSeconds: number
    /** Set when an operator's override replaces the plan's number. */
    readonly override?: { readonly until: string; readonly planCalls: number }
  }[]
}

export interface ExplainOptions {
  readonly method: string
  readonly target: string
  /** Undefined when the call carries no key. */
  readonly key: string | undefined
  readonly catalogue: Catalogue
  readonly registry: KeyAuthenticator
  readonly counter: Pick<Counter, 'peek'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Runs the gateway's own checks on a made-up call. The last one, the limit,
 * looks at the counts where the gateway would count.
 */
export async function explain(options: ExplainOptions): Promise<Explanation> {
  const { registry, counter, now } = options
  const call = createCall(options)
  const passed: string[] = []
  let states: readonly BucketState[] = []
  const outcome = await new Promise<GrantedCall | End | undefined>((resolve, reject) => {
    const checks = createChecks({
      registry,
      // A dry run does not count as a failed attempt to guess a key.
      failures: { count: (_address, done) => done(0) },
      counter: {
        peek: (buckets) => counter.peek(buckets),
        grant(limits, _onOutage, done) {
          counter.peek(limits).then((seen) => {
            states = seen
            done(peekedGrant(limits, seen))
          }, reject)
        },
      },
      // A dry run shares no resources and has no body.
      concurrency: { callsPerApplication: 0, callsPerAddress: 0 },
      uploads: { receive: () => undefined },
      hasRoom: () => true,
      now,
    })
    checks.watched((name) => passed.push(name)).run(call, resolve)
  })
  if (outcome instanceof Error) throw outcome
  const facts = { passed, ...known(call), ...limitsOf(call, states) }
  if (outcome instanceof Call) return { decision: 'admit', ...facts }
  if (outcome === undefined || !('code' in outcome)) {
    throw new Error('the gateway answers this call itself: it counts and forwards nothing')
  }
  const { code, detail } = outcome
  const { status } = errors[code]
  return { decision: 'refuse', code, status, ...(detail === undefined ? {} : { detail }), ...facts }
}

function createCall({ method, target, key, catalogue }: ExplainOptions): Call {
  const request = new IncomingMessage(new Socket())
  request.method = method
  request.httpVersion = '1.1'
  const keyField = key === undefined ? [] : ['X-API-Key', key]
  return new Call({
    request,
    fields: readFields(['Host', 'localhost', ...keyField]),
    response: new CallResponse(request),
    published: { generation: 0, catalogue, router: createRouter(catalogue) },
    target,
    requestId: randomUUID(),
    address: '127.0.0.1',
    scheme: 'http',
    portalOrigin: undefined,
    startedAt: 0,
    before: undefined,
  })
}

function known({ version, operation, caller }: Call) {
  return {
    ...(version === undefined ? {} : { api: version.api, version: version.version }),
    ...(operation === undefined ? {} : { operation: operation.id }),
    ...(caller === undefined ? {} : { applicationId: caller.applicationId, keyId: caller.keyId }),
  }
}

/** @param states the counts that the limit check saw; none if it did not run */
function limitsOf({ entitlement }: Call, states: readonly BucketState[]) {
  if (entitlement === undefined || states.length === 0) return {}
  const limits = entitlement.plan.limits.map(({ name, calls, windowSeconds, override }, at) => ({
    name,
    calls,
    windowSeconds,
    bucket: entitlement.buckets[at]?.bucket ?? '',
    used: states[at]?.count ?? 0,
    resetSeconds: Math.ceil((states[at]?.resetMs ?? 0) / 1000),
    ...(override === undefined
      ? {}
      : { override: { ...override, until: override.until.toISOString() } }),
  }))
  return { plan: entitlement.plan.name, limits }
}
