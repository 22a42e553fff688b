import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { CompleteError } from '../../platform/log/complete-error.ts'
import { commandName } from '../../platform/process/command-name.ts'
import type { BucketState, BucketWindow, Counter } from '../counters/counter.ts'
import { controlSocketName } from './control.ts'

/** No gateway answers on this data folder. An embedded gateway keeps its counters in its own process. */
export class CountersUnreachable extends CompleteError {
  override readonly name = 'CountersUnreachable'
}

export interface ControlClientOptions {
  /** The data folder of the process. */
  readonly dataDir: string
  /** The longest time for one request. (Default: 10 s) */
  readonly timeoutMs?: number
}

/**
 * Connects to the counters of the embedded process that has the data folder
 * open. Its methods throw {@link CountersUnreachable} if no process runs there,
 * or if it does not answer in time.
 */
export function connectControl({
  dataDir,
  timeoutMs = 10_000,
}: ControlClientOptions): Pick<Counter, 'peek' | 'reset' | 'close'> {
  const socketPath = join(dataDir, controlSocketName)

  async function post(path: string, buckets: readonly BucketWindow[]): Promise<unknown> {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      return await exchange(path, buckets, signal)
    } catch (cause) {
      if (!signal.aborted) throw cause
      throw new CountersUnreachable(
        `the gateway on this DATA_DIR did not answer within ${timeoutMs / 1000} s: try again, and restart the gateway if it still does not answer`,
        { cause },
      )
    }
  }

  async function exchange(path: string, buckets: readonly BucketWindow[], signal: AbortSignal) {
    const headers = { 'content-type': 'application/json' }
    const call = request({ socketPath, method: 'POST', path, headers, agent: false, signal })
    call.end(JSON.stringify({ buckets }))
    const answered = await once(call, 'response').catch((cause: unknown) => {
      throw new CountersUnreachable(
        `no gateway runs on this DATA_DIR, and without REDIS_URL its counters live in its process: start it first (${commandName()} start)`,
        { cause },
      )
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
      return undefined
    },
    close: async () => undefined,
  }
}
