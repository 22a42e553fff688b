import { randomUUID } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { createRouter } from '../catalogue/router.ts'
import { type ErrorCode, errors } from '../platform/errors.ts'
import type { Refusal } from '../platform/problem.ts'
import { bucketName } from './counters/bucket.ts'
import type { Counter } from './counters/counter.ts'
import { Call } from './edge/call.ts'
import type { Answer } from './edge/check.ts'
import { createPipeline } from './edge/checks.ts'
import { readFields } from './edge/request/request-fields.ts'
import { WrittenResponse } from './edge/answer/written-response.ts'
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
 * Runs the gateway's own checks on a made-up call. The last check, the limit,
 * reads the count without changing it.
 */
export async function explain(options: ExplainOptions): Promise<Explanation> {
  const { catalogue, registry, counter, now } = options
  const call = createCall(options)
  const checks = createPipeline({
    registry,
    // A dry run does not count as a failed attempt to guess a key.
    failures: { count: (_address, done) => done(0) },
    counter: { ...uncounted, ...counter },
    ...unbounded,
    now,
  }).filter(({ name }) => name !== 'limit')
  const passed: string[] = []
  for (const { name, check } of checks) {
    const refusal = await new Promise<Refusal | Answer | undefined>((resolve, reject) =>
      check(call, (end) => (end instanceof Error ? reject(end) : resolve(end))),
    )
    if (refusal !== undefined) {
      // Besides refusals, a check answers only calls of the portal's page, and this call is not one.
      if (!('code' in refusal)) throw new Error(`the check "${name}" answered a dry run`)
      return {
        decision: 'refuse',
        code: refusal.code,
        status: errors[refusal.code].status,
        ...(refusal.detail === undefined ? {} : { detail: refusal.detail }),
        passed,
        ...known(call),
      }
    }
    passed.push(name)
  }
  return {
    ...(await decide(call, counter)),
    passed: [...passed],
    ...known(call),
    plan: call.plan.name,
  }

  function createCall({ method, target, key }: ExplainOptions): Call {
    const request = new IncomingMessage(new Socket())
    request.method = method
    request.httpVersion = '1.1'
    const keyField = key === undefined ? [] : ['X-API-Key', key]
    return new Call({
      request,
      fields: readFields(['Host', 'localhost', ...keyField]),
      response: new WrittenResponse(request),
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
}

function known(call: Call) {
  const version = call.versionIfKnown
  const operation = call.operationIfKnown
  const caller = call.callerIfKnown
  return {
    ...(version === undefined ? {} : { api: version.api, version: version.version }),
    ...(operation === undefined ? {} : { operation: operation.id }),
    ...(caller === undefined ? {} : { applicationId: caller.applicationId, keyId: caller.keyId }),
  }
}

async function decide(call: Call, counter: Pick<Counter, 'peek'>) {
  const { limits: planLimits, mode } = call.plan
  const buckets = planLimits.map((limit) => ({
    bucket: bucketName(call.caller.applicationId, call.operation, limit),
    windowSeconds: limit.windowSeconds,
  }))
  const states = await counter.peek(buckets)
  const limits = planLimits.map((limit, at) => ({
    name: limit.name,
    calls: limit.calls,
    windowSeconds: limit.windowSeconds,
    bucket: buckets[at]?.bucket ?? '',
    used: states[at]?.count ?? 0,
    resetSeconds: Math.ceil((states[at]?.resetMs ?? 0) / 1000),
    ...(limit.override === undefined
      ? {}
      : { override: { ...limit.override, until: limit.override.until.toISOString() } }),
  }))
  const isExhausted = limits.some(({ used, calls }) => used >= calls)
  if (!isExhausted || mode === 'observe') return { decision: 'admit' as const, limits }
  return {
    decision: 'refuse' as const,
    code: 'QUOTA_EXCEEDED' as const,
    status: errors.QUOTA_EXCEEDED.status,
    limits,
  }
}

/** A dry run shares no resources and has no body. */
const unbounded = {
  concurrency: { callsPerApplication: 0, callsPerAddress: 0 },
  uploads: { receive: () => undefined },
  hasRoom: () => true,
}

/** The pipeline requires a counter, but asks it only in the limit check, which a dry run skips. */
const uncounted: Counter = {
  grant: () => {
    throw new Error('a dry run must not count')
  },
  peek: async () => [],
  reset: async () => {},
  forget: () => {},
  isUp: () => true,
  close: async () => {},
}
