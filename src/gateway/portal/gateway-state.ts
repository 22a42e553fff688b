import { Agent, request } from 'undici'
import type { GatewayState } from './schemas/accounts.ts'

/** How long an answer is given again, milliseconds: every open page asks, the gateway is asked once. */
const keptMs = 3000

const deadlineMs = 1000

export interface GatewayProbe {
  /** Whether the gateway answered HTTP, whatever it said, at most three seconds ago. Never rejects. */
  state(): Promise<GatewayState>
  close(): Promise<void>
}

export interface GatewayProbeOptions {
  /** Origin of the gateway, as this process reaches it. */
  readonly url: () => string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Creates the probe. Whoever asks while a question is under way gets its answer. */
export function createGatewayProbe({ url, now }: GatewayProbeOptions): GatewayProbe {
  const dispatcher = new Agent({ connections: 1 })
  let known: { readonly at: number; readonly state: Promise<GatewayState> } | undefined

  async function ask(): Promise<GatewayState> {
    const isReachable = await answers(url(), dispatcher)
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
    close: () => dispatcher.destroy(),
  }
}

/** Why it does not answer stays here: the reason holds addresses. */
async function answers(origin: string, dispatcher: Agent): Promise<boolean> {
  try {
    const { body } = await request(origin, {
      dispatcher,
      // A connection kept open would be one the gateway waits for when it stops.
      reset: true,
      signal: AbortSignal.timeout(deadlineMs),
    })
    await body.dump().catch(() => undefined)
    return true
  } catch {
    return false
  }
}
