import { createServer } from 'node:http'
import { errors, type JWK } from 'jose'
import { Registry } from 'prom-client'
import t from 'tap'
import { createGatewayKeys } from '../../src/backend/gateway-keys.ts'
import type { Test } from '../support/database.ts'
import { createTestIdentity } from '../support/identity.ts'
import { until } from '../support/until.ts'

const hourMs = 3_600_000

/** A gateway's document of keys that can be away. */
async function startSource(t: Test, keys: JWK[]) {
  const source = { keys, isAway: false, asked: 0, url: '', name: '' }
  const server = createServer((_request, response) => {
    source.asked += 1
    response.statusCode = source.isAway ? 503 : 200
    response.end(source.isAway ? 'away' : JSON.stringify({ keys: source.keys }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const address = server.address()
  source.name = typeof address === 'object' ? `127.0.0.1:${address?.port}` : ''
  source.url = `http://${source.name}/.well-known/jwks.json`
  return source
}

async function publicKey(kid: string): Promise<JWK> {
  const { jwk } = await createTestIdentity(Date.now)
  return { ...jwk, kid }
}

async function start(t: Test, urls: readonly string[]) {
  const clock = { ms: 0 }
  const lines: string[] = []
  const metricsRegistry = new Registry()
  const note = (level: string) => (_facts: object, text?: string) => {
    lines.push(`${level}: ${text}`)
  }
  const keys = createGatewayKeys({
    urls,
    metricsRegistry,
    monotonic: () => clock.ms,
    floorMs: 0,
    log: { info: note('info'), warn: note('warn') } as never,
  })
  t.teardown(() => keys.close())
  const find = async (kid: string) => {
    try {
      await keys.key({ alg: 'EdDSA', kid }, { payload: '', signature: '' })
      return 'found'
    } catch (error) {
      return error instanceof errors.JWKSNoMatchingKey ? 'unknown' : 'cannot say'
    }
  }
  return { keys, clock, lines, find, metrics: () => metricsRegistry.metrics() }
}

t.test('keys of several sources work, even while one of them is away for hours', async (t) => {
  const [one, two] = [await publicKey('one'), await publicKey('two')]
  const first = await startSource(t, [one])
  const second = await startSource(t, [one, two])
  first.isAway = true
  const { keys, clock, lines, find, metrics } = await start(t, [first.url, second.url])
  await until('the second source has answered', () => keys.isReady())
  t.equal(await find('one'), 'found', 'from the next source')
  t.equal(await find('two'), 'found')
  t.equal(await find('made up'), 'cannot say', 'the source that is away may have it')

  first.isAway = false
  t.equal(await find('made up'), 'unknown', 'all have answered')
  first.isAway = true
  second.isAway = true
  for (const hours of [1, 11]) {
    clock.ms = hours * hourMs
    t.equal(await find('new'), 'cannot say')
    t.same([await find('one'), await find('two')], ['found', 'found'], `after ${hours} h`)
  }
  t.ok(keys.isReady())
  const away = lines.filter((line) => line.includes('cannot be fetched'))
  t.equal(away.length, 3, 'once for each time that a source went away')
  t.match(
    await metrics(),
    new RegExp(`bank_gateway_keys_age_seconds{source="${first.name}"} 39600`),
  )
  t.match(
    await metrics(),
    new RegExp(`bank_gateway_key_fetches_total{source="${second.name}",result="failure"} [1-9]`),
  )

  clock.ms = 13 * hourMs
  t.equal(await find('new'), 'cannot say')
  t.same([await find('one'), keys.isReady()], ['cannot say', false], 'not ready without any key')
  second.isAway = false
  t.equal(await find('two'), 'found', 'it asks again by itself')
  t.ok(keys.isReady())
})

t.test(
  'an unknown key costs one fetch for all that ask at once, and a withdrawn one ends',
  async (t) => {
    const source = await startSource(t, [await publicKey('old')])
    const { keys, find } = await start(t, [source.url])
    await until('the source has answered', () => keys.isReady())
    const before = source.asked
    const made = await Promise.all(Array.from({ length: 50 }, (_, at) => find(`made up ${at}`)))
    t.ok(made.every((result) => result === 'unknown'))
    t.equal(source.asked, before + 1)
    source.keys = [await publicKey('next')]
    t.equal(await find('next'), 'found', 'without a wait for the next regular fetch')
    t.equal(await find('old'), 'unknown')
  },
)
