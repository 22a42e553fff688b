import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import {
  type Backend,
  createBackend,
  type SandboxOptions,
} from '../../src/backend/create-backend.ts'
import type { IdentityOptions } from '../../src/backend/identity.ts'
import { seedSandbox } from '../../src/backend/sandbox/seed.ts'
import { bankMigrations } from '../../src/backend/stores/migrations/index.ts'
import type { Catalogue, Method, Operation } from '../../src/catalogue/catalogue.ts'
import type { BankDrill } from '../../src/gateway/edge/forward/identity.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { migrate } from '../../src/platform/database/migrate.ts'
import { type AnswerContract, answerContracts } from './answer-contract.ts'
import { type Test, type TestDatabase, testDatabase } from './database.ts'
import { createTestIdentity, type TestIdentity } from './identity.ts'
import { publishedCatalogue } from './published-catalogue.ts'
import { TestClock } from './test-clock.ts'

/** A call to the bank as the gateway would forward it. */
export interface TestCall {
  readonly operation: string
  /** (Default: the newest version that has the operation) */
  readonly version?: string
  readonly path?: Readonly<Record<string, string>>
  /** Without the question mark. */
  readonly query?: string
  /** Added to X-Request-ID, PSU-IP-Address and the identity; undefined takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** An object is sent as JSON, a text as it is. */
  readonly body?: object | string
  readonly applicationId?: string
  /** What the gateway says of the name of the application. */
  readonly applicationName?: string
  /** What the gateway says of the origins of redirect addresses; undefined: nothing. */
  readonly redirects?: readonly string[]
  /** The drill that the gateway says the call is. */
  readonly drill?: BankDrill
}

export interface TestAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Parsed, of every shape; an empty object without a body. */
  readonly body: ReturnType<typeof JSON.parse>
}

/** A bank with its sandbox, on its own database and a clock that tests move. */
export interface TestBank {
  readonly backend: Backend
  readonly database: Database
  readonly catalogue: Catalogue
  readonly identity: TestIdentity
  /** Milliseconds since 1970. Begins on 2026-11-20 at 10:00 in Jerusalem. */
  readonly clock: { now: number }
  /** A TPP of its own. */
  readonly applicationId: string
  /** Calls the bank and throws when the answer is not as the document says. */
  call(call: TestCall): Promise<TestAnswer>
}

/** 2026-11-20 at 10:00 in Jerusalem, a Friday. */
export const start = Date.parse('2026-11-20T08:00:00Z')

/** A fresh database for a test bank. */
export function bankDatabase(t: Test): Promise<TestDatabase> {
  return testDatabase(t, { seededAt: start })
}

export interface TestBankOptions {
  /** (Default: a fresh one) */
  readonly database?: TestDatabase
  /** The gateway whose signatures it accepts. (Default: those of `identity`) */
  readonly trusts?: IdentityOptions
  /** (Default: no sandbox) */
  readonly sandbox?: SandboxOptions
  /** (Default: over HTTP) */
  readonly scaPublicUrl?: string
}

/** Starts a bank; everything is gone with the test. */
export async function testBank(t: Test, options: TestBankOptions = {}): Promise<TestBank> {
  const { database } = options.database ?? (await bankDatabase(t))
  const clock = new TestClock(start)
  const now = () => clock.now
  const catalogue = await publishedCatalogue()
  const identity = await createTestIdentity(now)
  await migrate(database, { name: 'bank', migrations: bankMigrations })
  await seedSandbox({ database, now, timeZone: 'Asia/Jerusalem' })
  const backend = await createBackend({
    catalogue,
    database,
    identity: options.trusts ?? identity,
    log: pino({ level: process.env['TEST_LOG'] ?? 'silent' }, process.stderr),
    now,
    timeZone: 'Asia/Jerusalem',
    scaPublicUrl: options.scaPublicUrl ?? 'http://sca.bank.test',
    sandbox: options.sandbox,
  })
  t.teardown(() => backend.close())
  const applicationId = randomUUID()
  const contracts = contractsOf(catalogue)

  async function call(wanted: TestCall): Promise<TestAnswer> {
    const { operation, answerFaults } = findOperation(contracts, wanted)
    const identityToken = await identity.identityFor({
      applicationId: wanted.applicationId ?? applicationId,
      api: operation.api,
      version: operation.version,
      ...(wanted.applicationName === undefined ? {} : { name: wanted.applicationName }),
      ...(wanted.redirects === undefined ? {} : { redirects: wanted.redirects }),
      ...(wanted.drill === undefined ? {} : { drill: wanted.drill }),
    })
    const isJson = typeof wanted.body === 'object'
    const headers = {
      'x-request-id': randomUUID(),
      'psu-ip-address': '192.0.2.44',
      'gateway-identity': identityToken,
      ...(wanted.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...wanted.headers,
    }
    const response = await backend.app.inject({
      method: operation.method satisfies Method,
      url: targetOf(operation, wanted),
      headers: Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        ),
      ),
      ...(wanted.body === undefined
        ? {}
        : { payload: isJson ? JSON.stringify(wanted.body) : String(wanted.body) }),
    })
    const body = response.body === '' ? undefined : JSON.parse(response.body)
    const answerHeaders = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
    )
    const violations = answerFaults({
      status: response.statusCode,
      headers: answerHeaders,
      body,
      contentType: answerHeaders['content-type'],
    })
    if (violations.length > 0) {
      throw new Error(
        `${operation.version} ${operation.id} answered ${response.statusCode} ${response.body}\nagainst its document: ${JSON.stringify(violations)}`,
      )
    }
    // Without the time of day, answers can be compared whole.
    const { date: _, ...comparable } = answerHeaders
    return { status: response.statusCode, headers: comparable, body: body ?? {} }
  }

  return { backend, database, catalogue, identity, clock, applicationId, call }
}

export interface Described {
  readonly operation: Operation
  readonly answerFaults: AnswerContract
}

const known = new WeakMap<Catalogue, ReadonlyMap<string, Described>>()

/**
 * Every operation of every version with its contract, by `<version> <operationId>`, oldest version first. All banks of a
 * catalogue share the compiled schemas.
 */
export function contractsOf(catalogue: Catalogue): ReadonlyMap<string, Described> {
  const found = known.get(catalogue)
  if (found !== undefined) return found
  const described = new Map<string, Described>()
  for (const version of catalogue.versions.values()) {
    const contracts = answerContracts(version)
    for (const operation of version.operations) {
      const answerFaults = contracts.get(operation.id)
      if (answerFaults === undefined) throw new Error(`no contract of ${operation.id}`)
      described.set(`${version.version} ${operation.id}`, { operation, answerFaults })
    }
  }
  known.set(catalogue, described)
  return described
}

/** The operation of a version; without one the newest that has it. */
export function findOperation(
  contracts: ReadonlyMap<string, Described>,
  { operation, version }: Pick<TestCall, 'operation' | 'version'>,
) {
  const known = [...contracts.values()].filter((entry) => entry.operation.id === operation)
  const found = known.findLast(
    (entry) => version === undefined || entry.operation.version === version,
  )
  if (found === undefined) throw new Error(`no operation ${version} ${operation}`)
  return found
}

/** The request target of a call. */
export function targetOf(
  operation: Operation,
  { path = {}, query }: Pick<TestCall, 'path' | 'query'>,
): string {
  const target = operation.path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = path[name]
    if (value === undefined) throw new Error(`${operation.id} needs ${name}`)
    return value
  })
  return query === undefined ? target : `${target}?${query}`
}

/** The first error code of an answer, of either family; undefined when it has none. */
export function codeOf({ body }: TestAnswer): string | undefined {
  return (body.tppMessages ?? body.apiClientMessages)?.[0].code
}

/** The last segment of the path of a link. */
export function lastSegment(href: string): string {
  return href.split('?')[0]?.split('/').at(-1) ?? ''
}
