import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { fleetMissing, productionEnv, startStores, storesOf } from '../../test/support/fleet.ts'
import { publishedCatalogue } from '../../test/support/published-catalogue.ts'
import { createRandom, type Random } from '../../test/support/random.ts'
import { newApplication, spawnTollgate, testConfigDir } from '../../test/support/tollgate.ts'
import type { Attack } from '../attacks/attack.ts'
import { type HostileAnswer, hostileAnswers } from '../attacks/corpus/answers.ts'
import { messageOf } from '../attacks/message.ts'
import { attackedOperations } from '../attacks/operations.ts'
import { startRecorder } from '../attacks/recorder.ts'
import { startFaultProxy, type Trouble } from '../faults/fault-proxy.ts'
import { figure } from '../figure.ts'
import { proofSeed, proofSize } from '../size.ts'

const wanted = proofSize({ share: 400, whole: 10_000 })
const seed = proofSeed()
const atATime = 64

const whole = 'HTTP/1.1 200 OK\r\nContent-Length: {bodyLength}\r\n\r\n{body}'
const part = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{body}'

/** What a broken backend does, beside the answers of the corpus. */
const failures: readonly HostileAnswer[] = [
  { name: 'silent', octets: '', expected: 'reached 504', why: 'accepts and never answers' },
  { name: 'part', octets: part, expected: 'cut', why: 'falls silent within its answer' },
  { name: 'late', octets: whole, waits: 700, expected: 'forwarded', why: 'answers late' },
  { name: 'dribble', octets: whole, octetMs: 10, expected: 'forwarded', why: 'dribbles' },
  {
    name: 'leaves',
    octets: whole,
    ending: 'end',
    expected: 'forwarded',
    why: 'ends a connection that the next call may be taking',
  },
]

/** What happens to everything between the gateway and another server for a while. */
function troublesOf(random: Random): readonly Trouble[] {
  const drawn = random.between(0, 2 ** 31)
  return [
    ...Array.from({ length: 4 }, (): Trouble => ({ kind: 'none' })),
    { kind: 'reset' },
    { kind: 'stall' },
    { kind: 'delay', leastMs: 30, mostMs: 400, seed: drawn },
    { kind: 'lose', oneIn: 4, seed: drawn },
  ]
}

/** Sends a request that asks to end the connection. @returns the status; 0 without one */
function ask(url: string, octets: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', () => undefined).on('close', () => resolve(Number(text.slice(9, 12))))
    socket.write(octets)
  })
}

t.test(
  `${wanted} calls with POST, PUT and DELETE under faults of backend and Redis reach the backend at most once (SEED=${seed})`,
  { skip: fleetMissing(), timeout: 300_000 + wanted * 50 },
  async (t) => {
    const answers = new Map([...hostileAnswers, ...failures.map((one) => [one.name, one] as const)])
    const recorder = await startRecorder(t, answers)
    const { redis, env: stores } = await startStores(t)
    const [toBackend, toRedis] = await Promise.all(
      [Number(new URL(recorder.url).port), redis.port].map(startFaultProxy),
    )
    if (toBackend === undefined || toRedis === undefined) throw new Error('no proxies')
    t.teardown(() => {
      for (const proxy of [toBackend, toRedis]) proxy.close()
    })
    const env = {
      ...productionEnv(),
      ...stores,
      REDIS_URL: `redis://127.0.0.1:${toRedis.port}`,
      BACKEND_URL: `http://127.0.0.1:${toBackend.port}`,
      GATEWAY_PROCESSES: '1',
      CONFIG_DIR: testConfigDir(t),
    }
    const { key } = await newApplication(await storesOf(t, env), 'once')
    const gateway = await spawnTollgate(t, ['gateway'], env)
    const operations = attackedOperations(await publishedCatalogue()).filter(
      ({ method }) => method !== 'GET',
    )
    const random = createRandom(seed, 'once')

    /** Times that a trouble began, and whether there is one. */
    let troubles = 0
    let isTroubled = false
    let isOver = false
    async function trouble(): Promise<void> {
      while (!isOver) {
        const drawn = [toBackend, toRedis].map((proxy) => {
          const next = random.pick(troublesOf(random))
          proxy?.trouble(next)
          return next.kind
        })
        isTroubled = drawn.some((kind) => kind !== 'none')
        if (isTroubled) troubles += 1
        await delay(random.between(100, 600))
      }
    }

    const statuses: number[] = []
    let faulted = 0
    function requestOf(number: number, answer: string): string {
      const operation = random.pick(operations)
      const attack: Attack = {
        kind: 'answer',
        why: '',
        expected: 'forwarded',
        answer,
        key: `X-API-Key: ${key}\r\n`,
        fields: 'Connection: close\r\n',
      }
      return messageOf({ number, attack, operation })
    }
    async function callOnAndOn(): Promise<void> {
      while (faulted < wanted) {
        // One in four meets nothing but the troubles on the way.
        const answer = random.between(1, 4) === 1 ? 'none' : random.pick([...answers.keys()])
        const number = statuses.push(-1)
        const before = isTroubled ? -1 : troubles
        statuses[number - 1] = await ask(gateway.urls.gateway, requestOf(number, answer))
        if (answer !== 'none' || troubles !== before) faulted += 1
        // While connections are reset, calls would fail by the thousand without arriving.
        if (statuses[number - 1] !== 200) await delay(30)
      }
    }
    const troubling = trouble()
    await Promise.all(Array.from({ length: atATime }, callOnAndOn))
    isOver = true
    await troubling

    const twiceByUs = requestOf(0, 'leaves')
    for (const _time of [1, 2]) await ask(recorder.url, twiceByUs)
    const arrivals = new Map<number | undefined, number>()
    for (const { number } of [...recorder.seen, ...recorder.strays]) {
      arrivals.set(number, (arrivals.get(number) ?? 0) + 1)
    }
    t.equal(arrivals.get(0), 2, 'the recorder notices a second arrival')
    arrivals.delete(0)
    const twice = [...arrivals].filter(([, times]) => times > 1)
    t.same(twice, [], `${twice.length} arrived more than once`)
    t.notOk(arrivals.has(undefined), 'nothing arrived that no client sent')
    const withStatus = (...wished: number[]): number[] =>
      [...statuses.keys()].map((at) => at + 1).filter((n) => wished.includes(statuses[n - 1] ?? 0))
    const invented = withStatus(200).filter((number) => !arrivals.has(number))
    t.same(invented, [], 'every call with an answer of the backend arrived there')
    const refused = withStatus(401, 429, 503).filter((number) => arrivals.has(number))
    t.same(refused, [], 'what was refused has not')
    t.equal(gateway.output.stderr, '')

    const counts = [...Map.groupBy(statuses, (status) => status)]
      .toSorted(([a], [b]) => a - b)
      .map(([status, list]) => `${status === 0 ? 'no answer' : status} × ${list.length}`)
    figure(
      `SEED=${seed}: ${statuses.length} calls, ${faulted} faulted; ${arrivals.size} arrived, ${twice.length} more than once; ${counts.join(', ')}`,
    )
  },
)
