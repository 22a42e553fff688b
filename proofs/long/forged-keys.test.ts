import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { generateKey } from '../../src/registry/keys/key-format.ts'
import { createClient } from '../../test/support/calling.ts'
import { fleetMissing, productionEnv, startStores, storesOf } from '../../test/support/fleet.ts'
import { rawRequest, sendRaw } from '../../test/support/raw-client.ts'
import { newApplication, spawnTollgate, testConfigDir } from '../../test/support/tollgate.ts'
import { figure } from '../figure.ts'
import { proofSize } from '../size.ts'

/** At a time. */
const forged = 20_000
/** A throttle remembers a network for a minute, so each half of the flood lasts longer than that. */
const halfMs = proofSize({ share: 90_000, whole: 300_000 })
/** Requests of one connection, and connections at a time. */
const pipelined = 100
const connections = 8

/** Above that of the quiet process. */
const mibMax = 400

/** Resident memory of a process. */
function residentMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kib) / 1_024)
}

t.test(
  'a gateway that is flooded with forged keys, each from another network, needs no more memory in the second half of the flood, and at most 400 MiB more than before it',
  { skip: fleetMissing(), timeout: 1_800_000 },
  async (t) => {
    const { env: stores } = await startStores(t)
    const env = {
      ...productionEnv(),
      ...stores,
      BACKEND_URL: 'http://127.0.0.1:9',
      TRUSTED_PROXIES: '127.0.0.1',
      CONFIG_DIR: testConfigDir(t),
    }
    const { key } = await newApplication(await storesOf(t, env), 'known')
    const gateway = await spawnTollgate(t, ['gateway'], env)
    const quiet = residentMiB(gateway.pid)
    let networks = 0
    const answers = { 401: 0, 429: 0, 503: 0 }

    /** A key whose checksum is right, so that only the database can reject it, from its own network. */
    function request(): string {
      networks += 1
      const address = `10.${(networks >> 16) & 255}.${(networks >> 8) & 255}.${networks & 255}`
      const fields = [`X-API-Key: ${generateKey(randomBytes).text}`, `X-Forwarded-For: ${address}`]
      return rawRequest('GET /v1.7.0/accounts HTTP/1.1', fields)
    }

    async function flood(): Promise<void> {
      let left = forged
      async function send(): Promise<void> {
        while (left > 0) {
          left -= pipelined
          const bytes = Array.from({ length: pipelined }, request).join('')
          const { text } = await sendRaw(gateway.urls.gateway, bytes, { answers: pipelined })
          for (const [, status] of text.matchAll(/HTTP\/1\.1 (401|429|503) /g)) {
            answers[Number(status) as keyof typeof answers] += 1
          }
        }
      }
      await Promise.all(Array.from({ length: connections }, send))
    }

    /** The most memory of a half, in MiB. */
    async function mostOfHalf(): Promise<number> {
      const until = performance.now() + halfMs
      let most = 0
      while (performance.now() < until) {
        await flood()
        most = Math.max(most, residentMiB(gateway.pid))
      }
      return most
    }
    const halves = [await mostOfHalf(), await mostOfHalf()] as const
    const { 401: unknown, 429: throttled, 503: unasked } = answers
    t.equal(unknown + throttled + unasked, networks, 'every forged key is refused')
    // While more than 100,000 networks fail within a minute. While the database has more questions than it answers, 503.
    t.ok(throttled > 0, `${throttled} throttled`)
    t.ok(halves[1] <= halves[0] * 1.1, `${halves.join(' and ')} MiB`)
    t.ok(Math.max(...halves) <= quiet + mibMax, `${halves.join(' and ')} MiB, before ${quiet}`)
    figure(
      `${networks} forged keys, ${unasked} answered 503: ${quiet} MiB before, then ${halves.join(' and ')} at most`,
    )
    const client = createClient(t, gateway.urls.gateway)
    t.equal((await client.call({ key })).status, 502, 'a known key gets as far as the backend')
  },
)
