import { type Agent, request } from 'node:http'
import { request as requestTls } from 'node:https'
import { addressIn } from './loopback-addresses.ts'
import type { BenchRequest } from './workload.ts'

/** Milliseconds after which a call without an answer is given up. */
const patienceMs = 5_000

export interface HealthyOptions {
  /** Origin. */
  readonly url: string
  /** The authority behind an https origin, as PEM. */
  readonly ca: string
  readonly requests: readonly BenchRequest[]
  readonly callsPerSecond: number
  readonly seconds: number
  /**
   * Over kept connections. (Default: each call on its own connection, because a gateway without room for new ones shows so)
   */
  readonly agent?: Agent | false
}

/** What healthy callers saw. */
export interface HealthyCalls {
  readonly calls: number
  /** Milliseconds of each call that was answered with 2xx. */
  readonly answeredMs: readonly number[]
  /** What the other calls got: a status or an error code. */
  readonly failures: readonly string[]
}

/** Calls at a constant rate. */
export async function callHealthily(options: HealthyOptions): Promise<HealthyCalls> {
  const { url, ca, requests, callsPerSecond, seconds, agent = false } = options
  const calls: Promise<number | string>[] = []
  const total = callsPerSecond * seconds
  const beganAt = performance.now()
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(total, ((performance.now() - beganAt) * callsPerSecond) / 1_000)
      while (calls.length < due) {
        const made = requests[calls.length % requests.length]
        if (made === undefined) throw new Error('no requests')
        calls.push(callOnce({ url, ca, agent }, made, addressIn('healthy', calls.length)))
      }
      if (calls.length < total) return
      clearInterval(timer)
      resolve()
    }, 1)
  })
  const answers = await Promise.all(calls)
  return {
    calls: total,
    answeredMs: answers.filter((answer) => typeof answer === 'number'),
    failures: answers.filter((answer) => typeof answer === 'string'),
  }
}

/** @returns how many milliseconds it took; a status or an error code when it was not answered with 2xx in time */
function callOnce(
  { url, ca, agent }: Required<Pick<HealthyOptions, 'url' | 'ca' | 'agent'>>,
  { method, target, key, body }: BenchRequest,
  localAddress: string,
): Promise<number | string> {
  return new Promise((resolve) => {
    const beganAt = performance.now()
    const fail = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.name)
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const outgoing = (url.startsWith('https:') ? requestTls : request)(
      url + target,
      {
        method,
        localAddress,
        ca,
        agent,
        signal: AbortSignal.timeout(patienceMs),
        headers: { 'x-api-key': key, ...type },
      },
      (answer) => {
        const { statusCode = 0 } = answer
        const isFine = statusCode >= 200 && statusCode < 300
        answer.on('end', () => resolve(isFine ? performance.now() - beganAt : String(statusCode)))
        answer.on('error', fail)
        answer.resume()
      },
    )
    outgoing.on('error', fail)
    outgoing.end(body)
  })
}
