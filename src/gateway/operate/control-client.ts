import { join } from 'node:path'
import { Client } from 'undici'
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
  const client = new Client('http://control', { socketPath: join(dataDir, controlSocketName) })

  async function post(path: string, buckets: readonly BucketWindow[]): Promise<unknown> {
    const { statusCode, body } = await client
      .request({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ buckets }),
      })
      .catch((error: unknown) => {
        throw new NotRunning(error)
      })
    if (statusCode >= 400) {
      // Parse boundary: what Fastify writes for every error.
      const { message } = (await body.json()) as { message: string }
      throw new Error(`the running process answered ${statusCode}: ${message}`)
    }
    return statusCode === 204 ? undefined : body.json()
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
    close: () => client.close(),
  }
}
