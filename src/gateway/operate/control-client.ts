import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { BucketState, BucketWindow, Counter } from '../counters/counter.ts'
import { controlSocketName } from './control.ts'

/** No gateway is running on this data folder. An embedded gateway keeps its counters in its own process. */
export class NotRunning extends Error {
  constructor(cause: unknown) {
    super(
      'no gateway runs on this DATA_DIR, and without REDIS_URL its counters live in its process: start it first (npx tollgate start)',
      { cause },
    )
    this.name = 'NotRunning'
  }
}

/** The counters of the embedded process that has the data folder open. */
export function connectControl(dataDir: string): Pick<Counter, 'peek' | 'reset' | 'close'> {
  const socketPath = join(dataDir, controlSocketName)

  async function post(path: string, buckets: readonly BucketWindow[]): Promise<unknown> {
    const headers = { 'content-type': 'application/json' }
    const call = request({ socketPath, method: 'POST', path, headers, agent: false })
    call.end(JSON.stringify({ buckets }))
    const answered = await once(call, 'response').catch((error: unknown) => {
      throw new NotRunning(error)
    })
    const answer: IncomingMessage = answered[0]
    const { statusCode = 500 } = answer
    if (statusCode === 204) {
      answer.resume()
      return undefined
    }
    const body = await json(answer)
    if (statusCode < 400) return body
    // Parse boundary: what Fastify writes for every error.
    const { message } = body as { message: string }
    throw new Error(`the running process answered ${statusCode}: ${message}`)
  }

  return {
    async peek(buckets) {
      // Parse boundary: the reply of createControl. Its schema rejects requests of another version.
      const answer = (await post('/counters/peek', buckets)) as { states: BucketState[] }
      return answer.states
    },
    async reset(bucket) {
      await post('/counters/reset', [bucket])
    },
    close: async () => undefined,
  }
}
