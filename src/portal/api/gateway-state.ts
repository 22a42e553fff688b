import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { GatewayState } from './schemas/accounts.ts'

/** How long an answer is given again, milliseconds: every open page asks, the gateway is asked once. */
const keptMs = 3000

const deadlineMs = 1000

export interface GatewayProbe {
  /** Whether the gateway answered HTTP, whatever it said, at most three seconds ago. Never rejects. */
  state(): Promise<GatewayState>
  close(): void
}

export interface GatewayProbeOptions {
  /** Origin of the gateway, as this process reaches it. */
  readonly url: () => string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Creates the probe. Simultaneous requests share one probe of the gateway. */
export function createGatewayProbe({ url, now }: GatewayProbeOptions): GatewayProbe {
  const closing = new AbortController()
  let known: { readonly at: number; readonly state: Promise<GatewayState> } | undefined

  async function ask(): Promise<GatewayState> {
    const isReachable = await answers(url(), closing.signal)
    return { isReachable, checkedAt: new Date(now()).toISOString() }
  }

  return {
    state() {
      const at = now()
      if (known === undefined || at - known.at >= keptMs || at < known.at) {
        known = { at, state: ask() }
      }
      return known.state
    },
    close: () => closing.abort(),
  }
}

/**
 * Asks with `OPTIONS *`, which concerns no resource (RFC 9110, 9.3.7): the gateway neither logs it nor counts it
 * as a failed call. Why it does not answer stays here: the reason holds addresses.
 */
function answers(origin: string, closing: AbortSignal): Promise<boolean> {
  const { protocol } = new URL(origin)
  const send = protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve) => {
    const asked = send(origin, {
      method: 'OPTIONS',
      path: '*',
      // The gateway would wait for a kept-alive connection when it stops.
      agent: false,
      signal: AbortSignal.any([closing, AbortSignal.timeout(deadlineMs)]),
    })
    asked.on('response', (response) => {
      response.resume()
      resolve(true)
    })
    asked.on('error', () => resolve(false))
    asked.end()
  })
}
