import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { Agent, request } from 'undici'
import { createTestAuthority } from '../../test/support/certificates.ts'
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
    const pairs = [authority.issue(), authority.issue()]
    const folder = t.testdir()
    const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') }
    const place = (pair = pairs[0]): void => {
      if (pair === undefined) throw new Error('two pairs')
      copyFileSync(pair.certFile, files.cert)
      copyFileSync(pair.keyFile, files.key)
    }
    place()
    const { gateways, stores } = await startFleet(t, {
      size: 1,
      env: {
        GATEWAY_TLS_CERT_FILE: files.cert,
        GATEWAY_TLS_KEY_FILE: files.key,
      },
    })
    const [gateway] = gateways
    if (gateway === undefined) throw new Error('one gateway')
    const { key } = await newApplication(stores, 'reloads')
    t.match(gateway.urls.gateway, /^https:/)
    const outcomes = new Map<string, number>()
    const note = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    let isOver = false
    async function call(isKept: boolean): Promise<void> {
      const agent = new Agent({ connections: 1, connect: { ca: authority.ca } })
      while (!isOver) {
        try {
          const answer = await request(`${gateway?.urls.gateway}/v1.7.0/accounts`, {
            dispatcher: agent,
            headers: { 'x-api-key': key },
            // Half of the callers make a handshake for each call.
            reset: !isKept,
          })
          await answer.body.dump()
          note(String(answer.statusCode))
        } catch (error) {
          note(String(error instanceof Error && 'code' in error ? error.code : error))
        }
      }
      await agent.close()
    }
    const calling = Array.from({ length: callers }, (_, index) => call(index % 2 === 0))
    const count = async () => {
      const metrics = await metricsOf(gateway.urls.management)
      return Number(
        /^gateway_file_reloads_total\{files="gateway",result="success"\} (\d+)$/m.exec(
          metrics,
        )?.[1],
      )
    }
    for (let reload = 1; reload <= reloads; reload++) {
      place(pairs[reload % 2])
      gateway.signal('SIGHUP')
      await until(`reload ${reload}`, async () => (await count()) >= reload)
    }
    await delay(100)
    isOver = true
    await Promise.all(calling)
    figure(JSON.stringify(Object.fromEntries(outcomes)))
    t.same([...outcomes.keys()], ['200'], 'every call succeeded')
    t.ok((outcomes.get('200') ?? 0) > reloads, 'there was load')
  },
)
