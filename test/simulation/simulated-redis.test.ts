import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import t from 'tap'
import {
  grantScript,
  heartbeatScript,
  resetScript,
  type Script,
} from '../../src/gateway/counters/redis/grant-script.ts'
import { createRandom, type Random } from '../support/random.ts'
import { redisMissing, testRedis } from '../support/redis-server.ts'
import { createKeyspace } from './keyspace.ts'
import { startLua } from './lua.ts'

const skip = redisMissing()

/**
 * Has a script read the time from its last argument, so that both servers have the same one. The script itself is as
 * shipped.
 */
function atTimeOf(script: Script): Script {
  const text = `local real, told = redis, table.remove(ARGV)
local redis = setmetatable({ call = function(name, ...)
  if name == 'TIME' then return { string.match(told, '^(%d+)/(%d+)$') } end
  return real.call(name, ...)
end }, { __index = real })
${script.text}`
  return { text, sha1: createHash('sha1').update(text).digest('hex') }
}

const scripts = [grantScript, grantScript, grantScript, resetScript, heartbeatScript].map(atTimeOf)

interface ScriptRun {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

const marker = 'tollgate:marker'
const processes = 'tollgate:processes'
const buckets = [1, 2, 3].map((index) => `tollgate:{app}:bucket${index}`)

function draw(random: Random, timeMs: number): ScriptRun {
  const which = random.between(0, scripts.length - 1)
  const script = scripts[which] ?? random.pick(scripts)
  const windowMs = random.pick([1000, 3000])
  const current = Math.floor(timeMs / windowMs)
  const windowWord = random.pick([
    String(windowMs),
    `${current - 1}/${timeMs - 5000}/${timeMs - 100}/${timeMs + 900}/${timeMs + 5000}`,
    `${current - 1}/${timeMs - 9000}/${timeMs - 8000}/${timeMs - 7000}/${timeMs - 6000}`,
  ])
  if (which === scripts.length - 2) {
    return { script, keys: [random.pick(buckets)], args: [windowWord] }
  }
  if (which === scripts.length - 1) {
    const args = [String(random.between(1, 4)), random.pick(['1', '1', '0']), '5000']
    return { script, keys: [processes], args }
  }
  const own = buckets.slice(0, random.between(1, 3))
  const settle = random.pick(['0', '1000'])
  const run = random.pick(['', 'run1', 'run2'])
  const made = random.pick(['', '', '0', String(timeMs * 1000 - 300_000)])
  const living = random.pick(['', '1', '2,1', '3,1,2'])
  const first = random.pick(['-', settle, `${settle}/${run}/${made}//${made}/${living}`])
  let words = first
  for (const _ of own) {
    const floor = `${current + random.between(-1, 1)} ${random.between(0, 1)} ${random.between(0, 9)}`
    words += ` ${windowWord} ${random.pick(['0 0 0', floor])}`
    words += random.pick([' 0 0', ` ${current + random.between(-1, 1)} ${random.between(1, 3)}`])
  }
  for (let group = random.between(0, 3); group > 0; group -= 1) {
    const limits = own.slice(0, random.between(1, own.length))
    words += ` ${random.between(1, 5)} ${limits.length}`
    for (const index of limits.keys()) words += ` ${index + 1} ${random.between(0, 9)}`
  }
  return { script, keys: first === '-' ? own : [marker, ...own], args: [words] }
}

/** Values that other programs leave. */
const foreign = ['', 'x', '1 2', '99999999999999999999 1 1', '99999999999 5 0', '123 0 -1']

t.test(
  'the simulated Redis answers the shipped scripts as a real one does, and holds the same afterwards',
  { skip, timeout: 120_000 },
  async (t) => {
    const redis = await testRedis(t)
    const client = new Redis(redis.url)
    t.teardown(() => client.disconnect())
    const lua = await startLua()
    for (const seed of Array(170).keys()) {
      const random = createRandom(seed, 'scripts')
      await client.flushall()
      const keyspace = createKeyspace()
      let timeUs = Date.UTC(2026, 10, 20, 10) * 1000
      for (let step = 0; step < 60; step += 1) {
        timeUs += random.between(0, 40_000)
        const name = `seed ${seed}, step ${step}`
        if (random.next() < 0.05) {
          const key = random.pick([...buckets, marker, processes])
          const value = random.pick(foreign)
          await client.set(key, value)
          keyspace.put(key, { kind: 'string', value, expiresAt: undefined })
        }
        const at = timeUs
        for (const key of [...buckets, marker, processes]) {
          if ((keyspace.find(key)?.expiresAt ?? Number.POSITIVE_INFINITY) <= at / 1000) {
            await client.del(key)
          }
        }
        const { script, keys, args } = draw(random, Math.floor(at / 1000))
        const words = [...args, `${Math.floor(at / 1e6)}/${at % 1e6}`]
        const begun = await timeOf(client)
        const { reply: real, expiries } = await runTimeless(client, { script, keys, args: words })
        const ended = await timeOf(client)
        const before = keys.map(keyspace.find)
        const simulated = lua.run(script, keys, words, (command) => keyspace.run(command, at))
        if (!t.same(simulated, real, name)) return
        for (const [index, key] of keys.entries()) {
          const stored = keyspace.has(key, at) ? keyspace.find(key) : undefined
          const isSet = stored?.kind === 'zset'
          const held = isSet ? [...stored.scores.keys()].toSorted() : (stored?.value ?? null)
          const type = await client.type(key)
          const realHeld =
            type === 'zset'
              ? (await client.zrange(key, '0', '-1')).toSorted()
              : await client.get(key)
          if (!t.same(held, realHeld, `${name}: ${key}`)) return
          // Of a key that this run wrote: no other one has an expiry on the real server.
          if (stored === undefined || stored === before[index]) continue
          const expiry = expiries[index] ?? Number.NaN
          const lifeMs = (stored.expiresAt ?? Number.NaN) - Math.floor(at / 1000)
          const isEqual =
            stored.expiresAt === undefined
              ? expiry === -1
              : expiry >= begun + lifeMs && expiry <= ended + lifeMs
          const times = `${expiry} after ${begun} to ${ended} + ${lifeMs} ms`
          if (!t.ok(isEqual, `${name}: ${key} expires at ${times}`)) return
        }
      }
    }
  },
)

/** The clock of the server, in milliseconds since 1970. */
async function timeOf(client: Redis): Promise<number> {
  const [seconds, micros] = await client.time()
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
}

/**
 * Runs the script, and takes the expiry of its keys away before time passes on the
 * server: keys expire by the clock of the simulation.
 *
 * @returns expiries in milliseconds since 1970, by key; -1: never, -2: no such key
 */
async function runTimeless(client: Redis, { script, keys, args }: ScriptRun) {
  const whole = client.multi().eval(script.text, keys.length, ...keys, ...args)
  for (const key of keys) whole.pexpiretime(key).persist(key)
  const [[error, answer] = [], ...rest] = (await whole.exec()) ?? []
  const reply: unknown = error ? { err: error.message } : answer
  const expiries = rest.filter((_, index) => index % 2 === 0).map(([, expiry]) => Number(expiry))
  return { reply, expiries }
}

t.test('a command that the simulation does not know is an error, never a guess', async (t) => {
  const keyspace = createKeyspace()
  t.throws(() => keyspace.run(['INCR', 'key'], 0), /does not know INCR key/)
  t.throws(() => keyspace.run(['SET', 'key', 'value', 'EX', '1'], 0), /does not know SET/)
  const lua = await startLua()
  const script = { text: "return redis.call('INCR', KEYS[1])", sha1: 'incr' }
  t.throws(() => lua.run(script, ['key'], [], (words) => keyspace.run(words, 0)), /INCR/)
})
