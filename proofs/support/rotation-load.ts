import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { accountsPath } from '../../test/support/calling.ts'
import type { Test } from '../../test/support/database.ts'

/** An application that calls, and what became of its calls. */
export interface Calling {
  readonly applicationId: string
  readonly consentId: string
  /** Every key is used in turn; more may come at any time. */
  readonly keys: string[]
  gets: number
  posts: number
}

/** Calls without a pause between two answers, over connections that stay open. */
export interface RotationLoad {
  /** One line for each call, or other request, that was not answered as it should. */
  readonly failed: string[]
  calls(): number
  /** What the application has left of its plan, as an answer to one more GET says. */
  remaining(calling: Calling): Promise<number>
  /** Ends with the calls that run. */
  end(): Promise<void>
}

const consent = JSON.stringify({
  access: { allPsd2: 'allAccounts' },
  recurringIndicator: true,
  validUntil: '9999-12-31',
  frequencyPerDay: 4,
  combinedServiceIndicator: false,
})

/** Every so-many-th call makes a consent: a POST that no balancer and no gateway repeats. */
const postEvery = 8

/** Starts this number of loops over the applications. */
export function startRotationLoad(
  t: Test,
  {
    origin,
    callings,
    callers,
    pauseMs,
  }: {
    readonly origin: string
    readonly callings: readonly Calling[]
    readonly callers: number
    /** Between two calls of one loop. */
    readonly pauseMs: number
  },
): RotationLoad {
  const pool = new Pool(origin, { connections: callers })
  t.teardown(() => pool.destroy())
  const failed: string[] = []
  let begun = 0
  let isOver = false

  async function ask(calling: Calling, isPost: boolean, turn: number): Promise<number> {
    const key = calling.keys[turn % calling.keys.length] ?? ''
    const headers = {
      'x-api-key': key,
      'x-request-id': randomUUID(),
      'psu-ip-address': '192.0.2.44',
    }
    if (isPost) calling.posts += 1
    else calling.gets += 1
    const method = isPost ? 'POST' : 'GET'
    try {
      const {
        statusCode,
        headers: answered,
        body,
      } = await pool.request({
        method,
        path: isPost ? '/v1.7.0/consents' : accountsPath,
        headers: isPost
          ? {
              ...headers,
              'content-type': 'application/json',
              'tpp-redirect-preferred': 'true',
              'tpp-redirect-uri': 'https://app.example/done',
            }
          : { ...headers, 'consent-id': calling.consentId },
        body: isPost ? consent : null,
      })
      const text = await body.text()
      if (statusCode !== (isPost ? 201 : 200)) {
        failed.push(`${method} with ${key.slice(0, 12)}: ${statusCode} ${text.slice(0, 300)}`)
      }
      return Number(answered['x-ratelimit-remaining'])
    } catch (error) {
      failed.push(`${method} with ${key.slice(0, 12)}: ${error}`)
      return Number.NaN
    }
  }

  const loops = Array.from({ length: callers }, async () => {
    while (!isOver) {
      const turn = begun++
      const calling = callings[turn % callings.length]
      if (calling === undefined) throw new Error('an application calls')
      const own = Math.floor(turn / callings.length)
      await ask(calling, own % postEvery === 0, own)
      await delay(pauseMs)
    }
  })

  return {
    failed,
    calls: () => begun,
    remaining: (calling) => ask(calling, false, 0),
    async end() {
      isOver = true
      await Promise.all(loops)
    },
  }
}
