import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Agent, request } from 'undici'
import { createTestAuthority, type IssuedCertificate } from '../../test/support/certificates.ts'
import { fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { metricsOf } from '../../test/support/metrics.ts'
import { newApplication } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'
import { figure } from '../figure.ts'
import { proofSize } from '../size.ts'

t.setTimeout(600_000)

const reloads = proofSize({ share: 20, whole: 200 })
const callers = 8

t.test(
  `${reloads} reloads of the certificate under load fail no call`,
  { skip: fleetMissing() },
  async (t) => {
    const authority = createTestAuthority(t)
    const [first, second] = [authority.issue(), authority.issue()]
    const folder = t.testdir()
    const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') }
    // One file after the other, as operators replace them. The gateway may look in between, but applies
    // only what two looks found, or what is there at SIGHUP.
    const place = ({ certFile, keyFile }: IssuedCertificate): void => {
      copyFileSync(certFile, files.cert)
      copyFileSync(keyFile, files.key)
    }
    place(first)
    const { gateways, stores } = await startFleet(t, {
      size: 1,
      env: {
        GATEWAY_TLS_CERT_FILE: files.cert,
        GATEWAY_TLS_KEY_FILE: files.key,
      },
    })
    const [gateway] = gateways
    if (gateway === undefined) throw new Error('no gateway')
    const { key } = await newApplication(stores, 'reloads')
    t.match(gateway.urls.gateway, /^https:/)
    const load = startLoad({ origin: gateway.urls.gateway, ca: authority.ca, key })
    try {
      for (let reload = 1; reload <= reloads; reload++) {
        place(reload % 2 === 0 ? first : second)
        gateway.signal('SIGHUP')
        await until(
          `reload ${reload}`,
          async () => (await reloadsOf(gateway.urls.management)) >= reload,
        )
      }
      await load.nextCalls()
    } finally {
      await load.stop()
    }
    figure(JSON.stringify(Object.fromEntries(load.outcomes)))
    t.same([...load.outcomes.keys()], ['200'], 'every call succeeded')
    t.ok((load.outcomes.get('200') ?? 0) > reloads, 'there was load')
  },
)

/** How often the gateway has applied another certificate. */
async function reloadsOf(management: string): Promise<number> {
  const line = /^gateway_file_reloads_total\{files="gateway",result="success"\} (\d+)$/m
  return Number(line.exec(await metricsOf(management))?.[1])
}

interface LoadOptions {
  readonly origin: string
  readonly ca: string
  readonly key: string
}

/** Starts callers that each call again and again until `stop`; every other one makes a handshake for each call. */
function startLoad({ origin, ca, key }: LoadOptions) {
  /** Number of calls by status or error code. */
  const outcomes = new Map<string, number>()
  const finished = Array.from({ length: callers }, () => 0)
  let isOver = false

  async function call(agent: Agent, isKept: boolean): Promise<string> {
    try {
      const response = await request(`${origin}/v1.7.0/accounts`, {
        dispatcher: agent,
        headers: { 'x-api-key': key },
        reset: !isKept,
      })
      await response.body.dump()
      return String(response.statusCode)
    } catch (error) {
      return String(error instanceof Error && 'code' in error ? error.code : error)
    }
  }

  async function callRepeatedly(caller: number): Promise<void> {
    const agent = new Agent({ connections: 1, connect: { ca } })
    while (!isOver) {
      const outcome = await call(agent, caller % 2 === 0)
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      finished[caller] = (finished[caller] ?? 0) + 1
    }
    await agent.close()
  }

  const calling = finished.map((_, caller) => callRepeatedly(caller))
  return {
    outcomes,
    /** Resolves when each caller has finished a call that it begins from now on. */
    async nextCalls(): Promise<void> {
      // The first to finish may have begun earlier.
      const enough = finished.map((calls) => calls + 2)
      await until('each caller has made a call after the last reload', () =>
        finished.every((calls, caller) => calls >= (enough[caller] ?? 0)),
      )
    },
    async stop(): Promise<void> {
      isOver = true
      await Promise.all(calling)
    },
  }
}
