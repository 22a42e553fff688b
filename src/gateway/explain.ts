// This folder is the data path. Begin with `edge/run-call.ts`, the life of a call. `edge/` checks a call, counts it
// with `counters/` and sends it to the backend with `upstream/`; `operate/` records what happened and shows it to
// operators. The gateway names no operation of an API, and imports nothing of the portal and the sandbox bank. This
// file runs the checks on a made-up call, for `tollgate explain`.

import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import type { Catalogue, ShownWindow } from '../catalogue/catalogue.ts'
import { createRouter } from '../catalogue/router.ts'
import { shownWindow } from '../catalogue/window-length.ts'
import { type ErrorCode, errors } from '../platform/http/errors.ts'
import type { KeyAuthenticator } from '../registry/registry.ts'
import type { BucketState, Counter } from './counters/counter.ts'
import { peekedGrant } from './counters/standing.ts'
import { Call, CallResponse, type GrantedCall } from './edge/call.ts'
import { createChecks } from './edge/check-table.ts'
import { CallRequest } from './edge/request/call-request.ts'
import { readFields } from './edge/request/request-fields.ts'
import { createTraceOf } from './edge/request/trace.ts'
import type { End } from './edge/run-checks.ts'

/** What the gateway would do with a call, step by step. The gateway counts and forwards nothing. */
export interface Explanation {
  /** `answer`: the gateway answers the call itself, as `OPTIONS *`. */
  readonly decision: 'admit' | 'refuse' | 'answer'
  /** Undefined unless the call is refused. */
  readonly code?: ErrorCode
  /** Undefined when the call is allowed. */
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
  readonly limits?: readonly (ShownWindow & {
    readonly name: string
    readonly calls: number
    readonly isAdvertised: boolean
    readonly bucket: string
    readonly used: number
    readonly resetSeconds: number
    /** Set when an operator's override replaces the plan's number. */
    readonly override?: { readonly until: string; readonly planCalls: number }
  })[]
}

export interface ExplainOptions {
  readonly method: string
  readonly target: string
  /** Undefined when the call carries no key. */
  readonly key: string | undefined
  /** The client's; undefined: whichever the key may be used from. */
  readonly address?: string | undefined
  readonly catalogue: Catalogue
  readonly registry: KeyAuthenticator
  readonly counter: Pick<Counter, 'peek'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Runs the table of checks on a made-up call, with these stand-ins: failed keys
 * are not counted, nothing is rehearsed, an unknown address is a permitted one,
 * no certificate is asked for, a call takes no place, it has no body, the
 * backend always has room, and the limit peeks where the gateway would count.
 * When the store does not answer it throws, and never applies the outage
 * policy.
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
      failures: { count: () => 0 },
      counter: {
        peek: (buckets) => counter.peek(buckets),
        grant(limits, _onOutage, done) {
          counter.peek(limits).then((seen) => {
            states = seen
            done(peekedGrant(limits, seen))
          }, reject)
        },
      },
      // Nothing that a made-up call does is counted.
      rehearse: () => undefined,
      // A made-up call comes over no connection.
      certificates: undefined,
      // A made-up call asks for no drill.
      drills: undefined,
      // A dry run shares no resources and has no body.
      concurrency: { callsPerApplication: 0, callsPerDeveloper: 0, callsPerAddress: 0 },
      uploads: { receive: () => undefined },
      bodyBytesMax: Number.POSITIVE_INFINITY,
      hasRoom: () => true,
      isAddressKnown: options.address !== undefined,
      now,
      monotonic: () => performance.now(),
    })
    checks.watched((name) => passed.push(name)).run(call, resolve)
  })
  if (outcome instanceof Error) throw outcome
  const facts = { passed, ...known(call), ...limitsOf(call, states) }
  if (outcome instanceof Call) return { decision: 'admit', ...facts }
  // A made-up call has no client that could disconnect.
  if (outcome === undefined) throw new Error('a check left the call without a decision')
  if (!('code' in outcome)) return { decision: 'answer', status: outcome.status, ...facts }
  const { code, detail } = outcome
  const { status } = errors[code]
  return { decision: 'refuse', code, status, ...(detail === undefined ? {} : { detail }), ...facts }
}

function createCall({ method, target, key, catalogue, address }: ExplainOptions): Call {
  const request = new CallRequest(new Socket())
  request.method = method
  request.httpVersion = '1.1'
  const keyField = key === undefined ? [] : ['X-API-Key', key]
  const fields = readFields(['Host', 'localhost', ...keyField])
  return new Call({
    request,
    fields,
    response: new CallResponse(request),
    published: { generation: 0, catalogue, router: createRouter(catalogue) },
    target,
    requestId: randomUUID(),
    trace: createTraceOf(() => false)(fields),
    address: address ?? '127.0.0.1',
    scheme: 'http',
    portalOrigin: undefined,
    startedAt: 0,
    connection: { calls: 0, latest: undefined },
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
  const limits = entitlement.plan.limits.map(
    ({ name, calls, windowLength, isAdvertised, override }, at) => ({
      name,
      calls,
      ...shownWindow(windowLength),
      isAdvertised,
      bucket: entitlement.buckets[at]?.bucket ?? '',
      used: states[at]?.count ?? 0,
      resetSeconds: Math.ceil((states[at]?.resetMs ?? 0) / 1000),
      ...(override === undefined
        ? {}
        : { override: { ...override, until: override.until.toISOString() } }),
    }),
  )
  return { plan: entitlement.plan.name, limits }
}
