import type { SlowCallersOptions } from './slow-callers-thread.ts'

/** Ports of what is attacked; `tls` is the gateway's with TLS. */
export const listeners = ['gateway', 'portal', 'sca', 'management'] as const
export type Listener = (typeof listeners)[number] | 'tls'

/** Callers of one kind at one listener. */
export interface AttackGroup extends Omit<SlowCallersOptions, 'url'> {
  readonly on: Listener
}

/** What is going on while healthy callers are measured. */
export interface Attack {
  readonly name: string
  readonly groups: readonly AttackGroup[]
  /** Where the healthy calls go. */
  readonly healthyOn: 'gateway' | 'tls'
}

export interface AttackOptions {
  /** Keys of the attackers: applications of one developer who has no others. */
  readonly keys: readonly string[]
  /** Keys of the callers that wait for the slow operation. */
  readonly waitingKeys: readonly string[]
  /** The first octets of a TLS client. */
  readonly clientHello: string
}

/** What the paths of the version begin with. */
export const prefix = '/v1.7.0'
export const upload = `${prefix}/consents`
/** The backend answers it after ten seconds. */
export const slowTarget = `${prefix}/card-accounts`

/** What every listener answers quickly, and what it has to write more for. */
const targets = {
  gateway: { quick: `${prefix}/accounts`, large: `${prefix}/accounts/large/transactions` },
  portal: { quick: '/api/apis', large: '/api/apis/xs2a/1.7.0/openapi.json' },
  sca: { quick: '/', large: '/style.css' },
  management: { quick: '/livez', large: '/metrics' },
} as const

/** What a backend of any listener answers with many octets, so that all subjects have as much to write. */
export const largeTargets: ReadonlySet<string> = new Set(
  Object.values(targets).map(({ large }) => large),
)

const largeBodyBytes = 262_144
const inStep = { everyMs: 100, leavesWhen: 'refused' } as const
const octetNowAndThen = { octets: ' ', everyMs: 2_000, onlyEverySecond: true }

/** All attacks, in the order of docs/evidence/performance.md. */
export function createAttacks({ keys, waitingKeys, clientHello }: AttackOptions): Attack[] {
  const one = keys.slice(0, 1)
  const attack = (name: string, ...groups: AttackGroup[]): Attack => ({
    name,
    groups,
    healthyOn: 'gateway',
  })
  const withheld = (callers: number, more: readonly string[] = one): AttackGroup => ({
    on: 'gateway',
    callers,
    requests: more.flatMap(withheldBodies),
    again: octetNowAndThen,
  })
  const slowOperation: AttackGroup = {
    on: 'gateway',
    callers: 600,
    requests: waitingKeys.map((key) => request({ line: `GET ${slowTarget}`, key })),
  }
  return [
    attack('no attack'),
    attack('300 withheld bodies', withheld(300)),
    attack('800 withheld bodies', withheld(800)),
    attack('2,000 withheld bodies', withheld(2_000)),
    attack('slow operation', slowOperation),
    attack('2,000 withheld bodies, slow operation', withheld(2_000), slowOperation),
    attack('2,000 withheld bodies in step', { ...withheld(2_000), inStep }),
    attack('2,000 withheld bodies of 10 applications in step', {
      ...withheld(2_000, keys),
      inStep,
    }),
    attack('640 large withheld bodies of 10 applications in step', {
      on: 'gateway',
      callers: 640,
      requests: keys.map(largeBody),
      inStep,
    }),
    attack(
      '2,000 withheld bodies of 10 applications in step, slow operation',
      { ...withheld(2_000, keys), inStep },
      slowOperation,
    ),
    ...listeners.flatMap((on) => {
      const { quick, large } = targets[on]
      const gets = (target: string, times: number): string[] =>
        keys.map((key) => request({ line: `GET ${target}`, key }).repeat(times))
      const body = { length: 1_000, type: bodyTypes[on] }
      return [
        attack(`slow headers: ${on}`, {
          on,
          callers: 1_000,
          requests: [`GET ${quick} HTTP/1.1\r\nHost: bank\r\n`],
          again: { octets: 'X-A: b\r\n', everyMs: 2_000 },
        }),
        ...(on === 'gateway'
          ? []
          : [
              attack(`slow bodies: ${on}`, {
                on,
                callers: 1_000,
                requests: [request({ line: `POST ${postTargets[on]}`, ...body })],
                again: { ...octetNowAndThen, onlyEverySecond: false },
              }),
            ]),
        attack(`slow reads: ${on}`, {
          on,
          callers: 200,
          requests: gets(large, 16),
          readsEveryMs: 2_000,
        }),
        attack(`idle flood: ${on}`, { on, callers: 3_000, requests: [''] }),
        attack(`pipelining: ${on}`, {
          on,
          callers: 100,
          requests: gets(quick, 16),
          again: { everyMs: 1_000 },
        }),
      ]
    }),
    {
      ...attack('500 TLS handshakes at once: gateway', {
        on: 'tls',
        callers: 500,
        requests: [clientHello],
        inStep: { everyMs: 2_000, leavesWhen: 'answered' },
      }),
      healthyOn: 'tls',
    },
    attack('500 sign-ins at once: portal', {
      on: 'portal',
      callers: 500,
      requests: Array.from({ length: 500 }, signIn),
      inStep: { everyMs: 4_000, leavesWhen: 'answered' },
    }),
  ]
}

const postTargets = {
  portal: '/api/session',
  sca: '/authorise/00000000-0000-4000-8000-000000000000',
  management: '/livez',
} as const

const json = 'application/json'
const bodyTypes = {
  gateway: json,
  portal: json,
  management: json,
  sca: 'application/x-www-form-urlencoded',
} as const

/** One waits for 100 Continue and then sends nothing; the other sends an octet now and then. */
function withheldBodies(key: string): string[] {
  const body = { line: `POST ${upload}`, key, length: 100_000, type: json }
  return [request({ ...body, expect: '100-continue' }), request(body)]
}

/** All but the last octet of a body: 64 of them are twice what Tollgate lets an application hold. */
function largeBody(key: string): string {
  const head = request({ line: `POST ${upload}`, key, length: largeBodyBytes, type: json })
  return head + ' '.repeat(largeBodyBytes - 1)
}

/** A sign-in of an unknown developer, which takes as long as one with a wrong password. */
function signIn(_: unknown, caller: number): string {
  const password = 'four words that do not belong together'
  const body = JSON.stringify({ email: `stranger-${caller}@bench.example`, password })
  return request({ line: 'POST /api/session', length: body.length, type: json }) + body
}

interface RequestParts {
  /** Method and target. */
  readonly line: string
  readonly key?: string
  readonly length?: number
  readonly type?: string
  readonly expect?: string
}

function request({ line, key, length, type, expect }: RequestParts): string {
  const fields = {
    Host: 'bank',
    'X-API-Key': key,
    'Content-Type': type,
    'Content-Length': length,
    Expect: expect,
  }
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}\r\n`],
  )
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n`
}
