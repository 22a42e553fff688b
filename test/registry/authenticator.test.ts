import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mock } from 'node:test'
import { pino } from 'pino'
import t from 'tap'
import { openDatabase } from '../../src/platform/database/database.ts'
import type { Stores } from '../../src/portal/stores/stores.ts'
import { createAuthenticator } from '../../src/registry/keys/authenticator.ts'
import { createKeyCache } from '../../src/registry/keys/key-cache.ts'
import { generateKey } from '../../src/registry/keys/key-format.ts'
import { createKeyLookUps } from '../../src/registry/keys/key-lookups.ts'
import type { Peppers } from '../../src/registry/keys/key-mac.ts'
import { createFindKeyRecords, type FindKeyRecords } from '../../src/registry/keys/key-record.ts'
import type { Authentication } from '../../src/registry/registry.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { postgresMissing, startPostgres, testDatabase } from '../support/database.ts'
import { mistyped } from '../support/mistyped.ts'
import { testApplication, testPeppers, testStores } from '../support/registry.ts'
import { until } from '../support/until.ts'

const log = pino({ level: 'silent' })
const by = 'system'
const { database, url } = await testDatabase(t)
const stores = await testStores(database)
const findKeyRecords = createFindKeyRecords({ db: database.connect<RegistrySchema>() })

/** The authenticator with clocks that a test moves and questions that it counts and holds back. */
function createRig(
  options: {
    find?: FindKeyRecords
    waitingMax?: number
    batchMax?: number
    deadlineMs?: number
    gatherMs?: number
  } = {},
) {
  const asked: string[] = []
  const statements: (readonly string[])[] = []
  const held: (() => void)[] = []
  let isHolding = false
  let isDown = false
  const clock = { wall: Date.now(), monotonic: 1_000_000 }
  const cache = createKeyCache({ monotonicNow: () => clock.monotonic })
  // The deadline has tests of its own; elsewhere a busy machine must not meet it.
  const { find = findKeyRecords, deadlineMs = 30_000, ...limits } = options
  const lookUps = createKeyLookUps({
    cache,
    log,
    deadlineMs,
    ...limits,
    async findKeyRecords(ids) {
      asked.push(...ids)
      statements.push(ids)
      if (isDown) throw new Error('the database is down')
      const found = await find(ids)
      if (isHolding) await new Promise<void>((resolve) => held.push(resolve))
      return found
    },
  })
  const used: string[] = []
  const upgraded: string[] = []
  const peppers: { -readonly [Name in keyof Peppers]: Peppers[Name] } = { ...testPeppers }
  const authenticator = createAuthenticator({
    cache,
    lookUps,
    peppers,
    lastUsed: { note: (id) => used.push(id) },
    pepperUpgrades: { note: ({ id }) => upgraded.push(id) },
    now: () => clock.wall,
    monotonicNow: () => clock.monotonic,
  })
  return {
    asked,
    statements,
    used,
    upgraded,
    peppers,
    cache,
    clock,
    recogniseCached: authenticator.recogniseCached,
    authenticate: (key: string) =>
      new Promise<Authentication>((resolve) => authenticator.authenticate(key, resolve)),
    /** What it says before it returns; undefined: nothing yet. */
    atOnce(key: string): Authentication | undefined {
      let outcome: Authentication | undefined
      authenticator.authenticate(key, (answer) => {
        outcome = answer
      })
      return outcome
    },
    pass(ms: number) {
      clock.wall += ms
      clock.monotonic += ms
    },
    setDown(value: boolean) {
      isDown = value
    },
    hold() {
      isHolding = true
    },
    /** Resolves when `count` answers of the database are held back. */
    async holds(count: number) {
      while (held.length < count) await new Promise((resolve) => setImmediate(resolve))
    },
    release() {
      isHolding = false
      for (const release of held.splice(0)) release()
    },
  }
}

async function issue(on: Stores = stores) {
  const { developer, application } = await testApplication(on)
  await on.subscriptions.add({
    applicationId: application.id,
    api: 'xs2a',
    version: '1.7.0',
    plan: 'default',
    by,
  })
  return { developer, application, key: await on.keys.issue({ applicationId: application.id, by }) }
}

t.test('a key yields its application and plans, from memory after the first time', async (t) => {
  const { application, key } = await issue()
  const rig = createRig()
  t.equal(rig.atOnce(key.key), undefined, 'the first time the database is asked')
  const caller = await rig.authenticate(key.key)
  t.match(caller, { applicationId: application.id, keyId: key.id, isSuspended: false })
  t.same(caller, rig.atOnce(key.key))
  t.same(typeof caller === 'object' && [...caller.plans], [['xs2a@1.7.0', 'default']])
  t.equal(rig.asked.length, 1)
})

t.test('a key with a wrong checksum never reaches the database', async (t) => {
  const { key } = await issue()
  const rig = createRig()
  for (const wrong of [mistyped(key.key), '', 'x', 'x'.repeat(10_240), 'ключ']) {
    t.equal(rig.atOnce(wrong), 'invalid')
  }
  t.same(rig.asked, [])
})

t.test('a known id with another secret is invalid', async (t) => {
  const { key } = await issue()
  const rig = createRig()
  // The same id under another secret, with a right checksum.
  let index = 0
  const forged = generateKey((size) => (index++ === 0 ? idBytes(key.id, size) : randomBytes(size)))
  t.equal(forged.id, key.id)
  t.equal(await rig.authenticate(forged.text), 'invalid')
  t.match(await rig.authenticate(key.key), { keyId: key.id })
  t.equal(rig.atOnce(forged.text), 'invalid')
})

function idBytes(id: string, size: number): Buffer {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  return Buffer.from([...id].map((digit) => digits.indexOf(digit))).subarray(0, size)
}

t.test('an unknown id is remembered for five seconds', async (t) => {
  const rig = createRig()
  const stranger = generateKey(randomBytes).text
  t.equal(await rig.authenticate(stranger), 'invalid')
  rig.pass(4_900)
  t.equal(rig.atOnce(stranger), 'invalid')
  rig.pass(200)
  t.equal(rig.atOnce(stranger), undefined)
  await rig.authenticate(stranger)
  t.equal(rig.asked.length, 2)
})

t.test('a key expires at its time, although it is in memory', async (t) => {
  const { application } = await testApplication(stores)
  const expiresAt = new Date(Date.now() + 60_000)
  const key = await stores.keys.issue({ applicationId: application.id, expiresAt, by })
  const rig = createRig()
  t.match(await rig.authenticate(key.key), { keyId: key.id })
  rig.clock.wall = expiresAt.getTime() - 1
  t.match(rig.atOnce(key.key), { keyId: key.id })
  rig.clock.wall = expiresAt.getTime()
  t.equal(rig.atOnce(key.key), 'invalid')
})

t.test('the wall clock going back does not make memory last longer', async (t) => {
  const { key } = await issue()
  const rig = createRig()
  await rig.authenticate(key.key)
  rig.clock.wall -= 3_600_000
  rig.clock.monotonic += 300_000
  rig.setDown(true)
  t.equal(await rig.authenticate(key.key), 'unreachable')
})

t.test(
  'database down: known keys are served for five minutes, others are unreachable',
  async (t) => {
    const { key } = await issue()
    const other = await issue()
    const rig = createRig()
    await rig.authenticate(key.key)
    rig.setDown(true)
    rig.pass(299_000)
    t.match(rig.atOnce(key.key), { keyId: key.id })
    t.equal(await rig.authenticate(other.key.key), 'unreachable')
    t.equal(await rig.authenticate(generateKey(randomBytes).text), 'unreachable', 'never "invalid"')
    rig.pass(1_000)
    t.equal(await rig.authenticate(key.key), 'unreachable')
    rig.setDown(false)
    t.match(await rig.authenticate(key.key), { keyId: key.id })
    t.match(await rig.authenticate(other.key.key), { keyId: other.key.id })
  },
)

t.test('after 30 seconds a key is looked up again while it goes on being served', async (t) => {
  const { key, application } = await issue()
  const rig = createRig()
  await rig.authenticate(key.key)
  rig.pass(29_999)
  rig.atOnce(key.key)
  t.equal(rig.asked.length, 1)
  await stores.applications.suspend({ id: application.id, by })
  rig.pass(1)
  rig.hold()
  for (let call = 0; call < 5; call++) t.match(rig.atOnce(key.key), { isSuspended: false })
  await rig.holds(1)
  rig.release()
  await until('the suspension is known', () => Object(rig.atOnce(key.key)).isSuspended === true)
  t.equal(rig.asked.length, 2, 'one look-up for all')
})

t.test('keys that are due together are looked up again in one statement', async (t) => {
  const keys = [await issue(), await issue(), await issue()].map(({ key }) => key)
  const rig = createRig()
  for (const { key } of keys) await rig.authenticate(key)
  rig.statements.splice(0)
  rig.pass(30_000)
  for (const { key, id } of keys) t.match(rig.atOnce(key), { keyId: id })
  await until('they are looked up', () => rig.statements.length > 0)
  t.same(rig.statements, [keys.map(({ id }) => id)])
})

t.test('a call that needs a key does not wait until refreshes have gathered', async (t) => {
  const { key } = await issue()
  const { key: other } = await issue()
  const rig = createRig({ gatherMs: 2 ** 31 - 1 })
  await rig.authenticate(key.key)
  rig.pass(30_000)
  t.match(rig.atOnce(key.key), { keyId: key.id })
  rig.statements.splice(0)
  t.match(await rig.authenticate(other.key), { keyId: other.id })
  t.same(rig.statements, [[key.id, other.id]], 'and takes them along')
})

t.test('a key in memory moves to a newer pepper when it is looked up again', async (t) => {
  const { authenticate, clock, peppers, upgraded } = createRig()
  const { application } = await testApplication(stores)
  const { key, id } = await stores.keys.issue({ applicationId: application.id, by })
  await authenticate(key)
  await authenticate(key)
  t.same(upgraded, [], 'it has the newest pepper')
  peppers.current += 1
  await authenticate(key)
  t.same(upgraded, [], 'not at each call')
  clock.monotonic += 30_000
  await authenticate(key)
  await authenticate(key)
  t.same(upgraded, [id])
})

t.test('memory says nothing about a key whose pepper this process lacks', async (t) => {
  const { authenticate, recogniseCached, peppers } = createRig()
  const { application } = await testApplication(stores)
  const { key, id } = await stores.keys.issue({ applicationId: application.id, by })
  await authenticate(key)
  t.match(recogniseCached(key), { keyId: id })
  const next = peppers.current + 1
  Object.assign(peppers, { current: next, secrets: new Map([[next, 'x'.repeat(32)]]) })
  t.equal(recogniseCached(key), 'unknown')
})

t.test('calls that arrive together share one look-up', async (t) => {
  const { key } = await issue()
  const rig = createRig()
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => rig.authenticate(key.key)))
  t.equal(rig.asked.length, 1)
  t.ok(outcomes.every((outcome) => typeof outcome === 'object'))
})

t.test(
  'at most 8 statements run at once, a bounded number waits, the oldest gets no answer',
  async (t) => {
    const rig = createRig({ waitingMax: 5 })
    rig.hold()
    const outcomes = Array.from({ length: 20 }, () =>
      rig.authenticate(generateKey(randomBytes).text),
    )
    await rig.holds(8)
    t.equal(rig.statements.length, 8)
    rig.release()
    t.same(await Promise.all(outcomes), [
      ...Array.from({ length: 8 }, () => 'invalid'),
      ...Array.from({ length: 7 }, () => 'unreachable'),
      ...Array.from({ length: 5 }, () => 'invalid'),
    ])
  },
)

t.test('who waits for a turn shares one statement, the newest first', async (t) => {
  const { key } = await issue()
  const rig = createRig({ batchMax: 10 })
  rig.hold()
  const strangers = Array.from({ length: 8 + 200 }, () =>
    rig.authenticate(generateKey(randomBytes).text),
  )
  const valid = rig.authenticate(key.key)
  await rig.holds(8)
  rig.release()
  t.match(await valid, { keyId: key.id })
  t.equal(rig.statements[8]?.[0], key.id, 'first in the first free statement')
  t.equal(rig.statements[8]?.length, 10)
  await Promise.all(strangers)
  t.equal(rig.statements.length, 8 + 21)
})

t.test('known keys are looked up again however many strangers wait', async (t) => {
  const known = await Promise.all(Array.from({ length: 7 }, () => issue()))
  const ids = known.map(({ key }) => key.id)
  const rig = createRig({ batchMax: 10, waitingMax: 50 })
  for (const { key } of known) await rig.authenticate(key.key)
  rig.pass(30_000)
  rig.hold()
  const flood = () =>
    Array.from({ length: 100 }, () => rig.authenticate(generateKey(randomBytes).text))
  const before = flood()
  for (const { key } of known) t.match(rig.atOnce(key.key), { keyId: key.id })
  const after = flood()
  await rig.holds(8)
  const begun = rig.statements.length
  rig.release()
  await Promise.all([...before, ...after])
  const next = rig.statements.slice(begun)
  t.same(next[0]?.slice(0, 7), ids, 'in the first free statement')
  t.equal(next[0]?.length, 10)
  rig.setDown(true)
  rig.pass(299_000)
  for (const { key } of known) t.match(rig.atOnce(key.key), { keyId: key.id }, 'as if just seen')
})

t.test('a call that needs a waiting refresh has its answer or its deadline', async (t) => {
  const { key, application } = await issue()
  const rig = createRig({ deadlineMs: 50 })
  // No deadline is met before the database has answered once, however busy the machine is.
  await until('the key is known', async () => typeof (await rig.authenticate(key.key)) === 'object')
  rig.pass(30_000)
  rig.hold()
  t.match(rig.atOnce(key.key), { keyId: key.id })
  await rig.holds(1)
  rig.cache.apply({ kind: 'application', applicationId: application.id })
  t.equal(await rig.authenticate(key.key), 'unreachable')
  rig.release()
})

t.test(
  'a look-up without an answer ends at its deadline and its late answer is kept',
  async (t) => {
    const { key } = await issue()
    const rig = createRig({ deadlineMs: 50 })
    rig.hold()
    t.equal(await rig.authenticate(key.key), 'unreachable')
    await rig.holds(1)
    rig.release()
    await until('the key is cached', () => rig.cache.find(key.id) !== undefined)
    t.match(rig.atOnce(key.key), { keyId: key.id })
  },
)

t.test(
  'a stall of this process is not taken for one of the database',
  {
    skip: postgresMissing() || (process.platform !== 'linux' && 'socket buffers are read in /proc'),
  },
  async (t) => {
    const { key } = await issue()
    mock.timers.enable({ apis: ['setTimeout'] })
    t.teardown(() => mock.timers.reset())
    const own = openDatabase({ url, log })
    t.teardown(() => own.close())
    const find = createFindKeyRecords({ db: own.connect<RegistrySchema>() })
    // So that it has a connection.
    await find([])
    const deadlineMs = 100
    const rig = createRig({
      deadlineMs,
      async find(ids) {
        const found = find(ids)
        // The statement is on its way; its answer and the deadline come while this process does something else.
        setImmediate(() => {
          stallUntilAnswered()
          mock.timers.tick(deadlineMs)
        })
        return found
      },
    })
    t.match(await rig.authenticate(key.key), { keyId: key.id })
  },
)

/** Blocks this process until the database has written to a socket that it has not read. */
function stallUntilAnswered(): void {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')
  // `<local address> <remote address> 01 <bytes to send>:<bytes to read>`, where 01 is an open connection.
  const unread = new RegExp(`:${port} 01 \\w+:(?!0+ )`)
  while (!unread.test(readFileSync('/proc/net/tcp', 'utf8')));
}

t.test('a look-up begun before a revocation does not bring the key back', async (t) => {
  const { key } = await issue()
  const rig = createRig()
  rig.hold()
  const early = rig.authenticate(key.key)
  await rig.holds(1)
  await stores.keys.revoke({ id: key.id, by })
  rig.cache.apply({ kind: 'key', action: 'revoke', keyId: key.id })
  rig.release()
  t.equal(await early, 'invalid')
  t.equal(rig.atOnce(key.key), 'invalid')
  rig.pass(60_000)
  rig.setDown(true)
  t.equal(rig.atOnce(key.key), 'invalid', 'known to be revoked even in an outage')
})

t.test('a look-up begun before a suspension is taken again', async (t) => {
  for (const kind of ['application', 'developer', 'subscription'] as const) {
    const { key, application, developer } = await issue()
    const rig = createRig()
    rig.hold()
    const early = rig.authenticate(key.key)
    await rig.holds(1)
    if (kind === 'application') await stores.applications.suspend({ id: application.id, by })
    if (kind === 'developer') await stores.developers.suspend({ id: developer.id, by })
    if (kind === 'subscription') {
      const [subscription] = await stores.subscriptions.list({ applicationId: application.id })
      await stores.subscriptions.end({ id: subscription?.id ?? '', by })
    }
    rig.cache.apply(
      kind === 'developer'
        ? { kind, developerId: developer.id }
        : { kind, applicationId: application.id },
    )
    rig.release()
    const caller = await early
    if (kind === 'subscription') t.same(caller, { ...Object(caller), plans: new Map() })
    else t.match(caller, { isSuspended: true }, kind)
    t.equal(rig.asked.length, 2)
  }
})

t.test('a change outdates what is in memory, of its subject only', async (t) => {
  const [one, two] = [await issue(), await issue()]
  const rig = createRig()
  await rig.authenticate(one.key.key)
  await rig.authenticate(two.key.key)
  await stores.developers.suspend({ id: one.developer.id, by })
  rig.cache.apply({ kind: 'developer', developerId: one.developer.id })
  t.match(await rig.authenticate(one.key.key), { isSuspended: true })
  t.match(rig.atOnce(two.key.key), { isSuspended: false })
  t.equal(rig.asked.length, 3)
  rig.cache.forgetAll()
  t.equal(rig.atOnce(two.key.key), undefined)
})

t.test('a caller is the same object until something of it changes', async (t) => {
  const { key, application } = await issue()
  const rig = createRig()
  const first = await rig.authenticate(key.key)
  t.match(first, { isStrict: false })
  rig.pass(30_000)
  rig.atOnce(key.key)
  await until(
    'the key was read again',
    () => rig.cache.find(key.id)?.mark.at === rig.clock.monotonic,
  )
  t.equal(rig.atOnce(key.key), first, 'looked up again')

  const turn = async (strict: boolean) => {
    await stores.applications.setStrict({ id: application.id, strict, by })
    rig.cache.apply({ kind: 'application', applicationId: application.id })
    return rig.authenticate(key.key)
  }
  const second = await turn(true)
  t.match(second, { isStrict: true })
  t.equal(rig.atOnce(key.key), second)
  const third = await turn(false)
  t.same(third, first)
  t.not(third, first, 'another one, though it says the same')

  await stores.applications.setStrict({ id: application.id, strict: true, by })
  rig.pass(30_000)
  rig.atOnce(key.key)
  await until('the strict mode is known', () => Object(rig.atOnce(key.key)).isStrict === true)
})

t.test('an id that was unknown works as soon as its key is issued', async (t) => {
  const { key } = await issue()
  const rig = createRig({ find: async () => new Map() })
  t.equal(await rig.authenticate(key.key), 'invalid')
  rig.cache.apply({ kind: 'key', action: 'issue', keyId: key.id })
  t.equal(rig.atOnce(key.key), undefined, 'asked again')
})

t.test('memory is bounded: a million strangers leave known keys where they are', async (t) => {
  const { key } = await issue()
  const rig = createRig()
  await rig.authenticate(key.key)
  for (let index = 0; index < 1_000_000; index++) {
    rig.cache.keep(String(index), undefined, rig.cache.mark())
  }
  t.ok(rig.cache.size <= 20_001, `${rig.cache.size} entries`)
  t.match(rig.atOnce(key.key), { keyId: key.id })
  const record = (await findKeyRecords([key.id])).get(key.id)
  for (let index = 0; index < 1_000_000; index++) {
    rig.cache.keep(String(index), record, rig.cache.mark())
  }
  t.ok(rig.cache.size <= 220_000, `${rig.cache.size} entries`)
})

t.test('a hundred thousand changes at once outdate everything and stay bounded', async (t) => {
  const { key } = await issue()
  const rig = createRig()
  await rig.authenticate(key.key)
  for (let index = 0; index < 100_000; index++) {
    rig.cache.apply({ kind: 'application', applicationId: String(index) })
  }
  t.equal(rig.atOnce(key.key), undefined)
  t.match(await rig.authenticate(key.key), { keyId: key.id })
})

t.test('a use is noted once a minute', async (t) => {
  const { key } = await issue()
  const rig = createRig()
  rig.clock.wall = Math.ceil(Date.now() / 60_000) * 60_000
  for (let call = 0; call < 10; call++) await rig.authenticate(key.key)
  t.same(rig.used, [key.id])
  rig.clock.wall += 60_000
  rig.atOnce(key.key)
  t.same(rig.used, [key.id, key.id])
})

t.test(
  'PostgreSQL hung or gone: answers in time, and right again afterwards',
  { skip: postgresMissing() },
  async (t) => {
    const server = await startPostgres(t)
    // Nothing but the deadline of the look-up ends the wait for a database that hangs.
    const hour = 3_600_000
    const real = openDatabase({
      url: server.url,
      log,
      connectTimeoutMs: hour,
      statementTimeoutMs: hour,
    })
    t.teardown(() => real.close())
    const realStores = await testStores(real)
    const known = await issue(realStores)
    const rig = createRig({
      find: createFindKeyRecords({ db: real.connect<RegistrySchema>() }),
      deadlineMs: 1000,
    })
    const isRecognised = async (key: string) => typeof (await rig.authenticate(key)) === 'object'
    await until('the known key is recognised', () => isRecognised(known.key.key))
    for (const [fault, repair] of [
      [() => server.freeze(), () => server.thaw()],
      [() => server.stop(), () => server.start()],
    ] as const) {
      // Each fault has its own: the late answer to the question asked in the one before is kept.
      const cold = await issue(realStores)
      await fault()
      rig.pass(31_000)
      t.match(rig.atOnce(known.key.key), { keyId: known.key.id })
      t.equal(await rig.authenticate(cold.key.key), 'unreachable')
      await repair()
      await until('the new key is recognised', () => isRecognised(cold.key.key))
      t.match(await rig.authenticate(cold.key.key), { keyId: cold.key.id })
      t.match(await rig.authenticate(known.key.key), { keyId: known.key.id })
    }
  },
)
