import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import type { Test } from './database.ts'

/** An answer of the gateway to one call of a test. */
export interface Answer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly requestId: string
  /** Milliseconds since 1970. */
  readonly begunAt: number
  readonly endedAt: number
}

export interface CallOptions {
  readonly key: string
  readonly method?: 'GET' | 'DELETE'
  readonly path?: string
  /** Besides those of the key and the request's id. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Calls one gateway over kept-alive connections of its own. */
export interface Client {
  /** Rejects when the gateway gives no whole answer. */
  call(options: CallOptions): Promise<Answer>
  /** Opens this many connections now, so that a later burst begins everywhere at once. */
  warmUp(connections: number): Promise<void>
}

/** The operation that tests call unless they need another. */
export const accountsPath = '/v1.7.0/accounts'

/** Makes a client of the gateway at `url`; its connections end with the test. */
export function createClient(t: Test, url: string, connections = 128): Client {
  const pool = new Pool(url, { connections, pipelining: 1, connect: { timeout: 20_000 } })
  t.teardown(() => pool.destroy())

  async function call(options: CallOptions): Promise<Answer> {
    const { key, method = 'GET', path = accountsPath, headers: others = {} } = options
    const requestId = randomUUID()
    const begunAt = Date.now()
    const response = await pool.request({
      method,
      path,
      headers: { ...others, 'x-api-key': key, 'x-request-id': requestId },
    })
    const body = await response.body.text()
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
    )
    return { status: response.statusCode, headers, body, requestId, begunAt, endedAt: Date.now() }
  }

  return {
    call,
    async warmUp(count) {
      // Nothing is published there, so nothing is counted.
      const answers = Array.from({ length: count }, () => call({ key: '', path: '/nothing' }))
      await Promise.all(answers)
    },
  }
}

/** This many concurrent calls, spread evenly over the clients. Rejects without clients. */
export async function burst(
  clients: readonly Client[],
  times: number,
  options: CallOptions,
): Promise<Answer[]> {
  const calls = Array.from({ length: times }, (_, at) => {
    const client = clients[at % clients.length]
    if (client === undefined) throw new Error('no client makes the calls')
    return client.call(options)
  })
  return Promise.all(calls)
}

/** The calls left according to each answer with status 200, highest first. */
export function remainingOf(answers: readonly Answer[]): number[] {
  return answers
    .filter(({ status }) => status === 200)
    .map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    .toSorted((a, b) => b - a)
}

/** `[from, from - 1, …, 0]`. */
export function countdown(from: number): number[] {
  return Array.from({ length: from + 1 }, (_, index) => from - index)
}

/** The code of a refusal; undefined for other answers. */
export function codeOf({ body }: Answer): string | undefined {
  return body.startsWith('{') ? JSON.parse(body).code : undefined
}
