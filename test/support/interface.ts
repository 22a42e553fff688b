import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import {
  bankDatabase,
  codeOf,
  contractsOf,
  findOperation,
  type TestAnswer,
  type TestBank,
  targetOf,
  testBank,
} from './bank.ts'
import type { TestDatabase } from './database.ts'
import { callerOf, edgeIdentity, startEdge } from './edge.ts'

/** A TPP's call, as it goes through the gateway. */
export interface InterfaceCall {
  readonly operation: string
  readonly version: string
  readonly path?: Readonly<Record<string, string>>
  /** Without the question mark. */
  readonly query?: string
  /** Added to X-Request-ID and PSU-IP-Address; undefined takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** An object is sent as JSON, a text as it is. */
  readonly body?: object | string
  /** (Default: the TPP of the test) */
  readonly as?: Tpp
}

/** Applications the gateway knows; the strict one signs its calls. */
export type Tpp = 'tpp' | 'other' | 'strict'

/** The bank behind a gateway, over real sockets, on a clock that tests move. */
export interface InterfaceWorld extends Omit<TestBank, 'call'> {
  /**
   * Calls through the gateway. Throws when the answer, with its headers, is not
   * as the document of the version says. What was answered is noted for
   * `npm run coverage:interface`, under the title of the test.
   */
  call(t: Test, call: InterfaceCall): Promise<TestAnswer>
}

/** Where the strict application may have customers sent back. */
const redirectOrigins = ['https://tpp.example']

/** The folder that answers are noted in; unset: nowhere. */
export const reportVariable = 'INTERFACE_REPORT'

/** One answer, as the report reads it. */
export interface NotedAnswer {
  readonly operation: string
  readonly version: string
  readonly status: number
  readonly code?: string
  readonly test: string
}

const keys: Readonly<Record<Tpp, string>> = {
  tpp: 'tg_tpp',
  other: 'tg_other',
  strict: 'tg_strict',
}

export interface InterfaceOptions {
  /** Thumbprints of the certificates that the strict application has for signing. */
  readonly seals?: readonly string[]
  /** (Default: a fresh one) */
  readonly database?: TestDatabase
}

/**
 * Starts bank and gateway; everything is gone with the test. No one is refused
 * for the number of its calls.
 */
export async function interfaceWorld(
  t: Test,
  { seals = [], database }: InterfaceOptions = {},
): Promise<InterfaceWorld> {
  const bank = await testBank(t, {
    database: database ?? (await bankDatabase(t)),
    trusts: edgeIdentity,
  })
  const backendUrl = await bank.backend.app.listen({ host: '127.0.0.1', port: 0 })
  const { url } = await startEdge(t, {
    backendUrl,
    now: () => bank.clock.now,
    // Identities are signed anew when the clock has moved; it must not go back.
    monotonic: () => bank.clock.now,
    callers: new Map([
      [keys.tpp, callerOf(bank.applicationId)],
      [keys.other, callerOf(randomUUID())],
      [keys.strict, callerOf(randomUUID(), { isStrict: true, seals, redirectOrigins })],
    ]),
  })
  const contracts = contractsOf(bank.catalogue)
  const folder = process.env[reportVariable]

  async function call(test: Test, wanted: InterfaceCall): Promise<TestAnswer> {
    const { operation, answerFaults } = findOperation(contracts, wanted)
    const headers = {
      'x-api-key': keys[wanted.as ?? 'tpp'],
      'x-request-id': randomUUID(),
      'psu-ip-address': '192.0.2.44',
      ...(wanted.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...wanted.headers,
    }
    const response = await fetch(`${url}${targetOf(operation, wanted)}`, {
      method: operation.method,
      headers: Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        ),
      ),
      ...(wanted.body === undefined
        ? {}
        : { body: typeof wanted.body === 'object' ? JSON.stringify(wanted.body) : wanted.body }),
    })
    const text = await response.text()
    const body = text === '' ? undefined : JSON.parse(text)
    const answered = Object.fromEntries(response.headers)
    const violations = answerFaults({
      status: response.status,
      headers: answered,
      body,
      contentType: answered['content-type'],
    })
    if (violations.length > 0) {
      throw new Error(
        `${operation.version} ${operation.id} answered ${response.status} ${text}\nagainst its document: ${JSON.stringify(violations)}`,
      )
    }
    const answer = { status: response.status, headers: answered, body: body ?? {} }
    if (folder !== undefined)
      note(folder, answer, {
        operation: operation.id,
        version: operation.version,
        test: test.fullname,
      })
    return answer
  }

  return { ...bank, call }
}

function note(
  folder: string,
  answer: TestAnswer,
  about: Pick<NotedAnswer, 'operation' | 'version' | 'test'>,
): void {
  const code = codeOf(answer) ?? answer.body.code
  const noted: NotedAnswer = {
    ...about,
    status: answer.status,
    ...(code === undefined ? {} : { code }),
  }
  appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify(noted)}\n`)
}
