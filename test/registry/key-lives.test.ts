import { sql } from 'kysely'
import t from 'tap'
import { checkPeppers } from '../../src/compose/secrets.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { createWatchedCopy } from '../../src/platform/settings/watched-files.ts'
import type { PortalSchema } from '../../src/portal/stores/schema.ts'
import { openStores } from '../../src/portal/stores/stores.ts'
import { livePeppers, parsePeppers } from '../../src/registry/keys/key-mac.ts'
import { openRegistry } from '../../src/registry/open-registry.ts'
import { openRecords } from '../../src/registry/records.ts'
import type { Authentication } from '../../src/registry/registry.ts'
import { testDatabase } from '../support/database.ts'
import { testApplication, testStores } from '../support/registry.ts'

const { database } = await testDatabase(t)
const db = database.connect<PortalSchema>()
const stores = await testStores(database)
const by = 'test'
const dayMs = 86_400_000
const [old, fresh, other] = [
  'a-pepper-for-tests-and-nothing-else',
  'the-next-pepper-for-tests-and-no-more',
  'a-pepper-that-another-host-has-made',
]

const open = (keyPepper: string, keyMaxDays = 0) => ({
  database,
  peppers: parsePeppers(keyPepper),
  keyMaxDays,
  keysPerApplication: 100,
  applicationsPerDeveloper: 10,
})

t.beforeEach(() => sql`truncate developers, portal_state cascade`.execute(db))

t.test('a start without a pepper that working keys need is refused', async (t) => {
  const { application } = await testApplication(stores)
  const { id } = await stores.keys.issue({ applicationId: application.id, by })
  const check = (keyPepper: string) => checkPeppers(stores.keyPeppers, parsePeppers(keyPepper))
  await check(old)
  await t.rejects(
    check(`2:${fresh}`),
    /KEY_PEPPER: version 1 is missing, but 1 working API key needs it/,
  )
  await t.rejects(
    check(fresh),
    /KEY_PEPPER: version 1 is not the secret that 1 working API key needs/,
  )
  await check(`2:${fresh},1:${old}`)
  await stores.keys.revoke({ id, by })
  await check(`2:${fresh}`)
  await t.rejects(check(fresh), /version 1 is not the secret that the first process/, 'for ever')
})

t.test('the first process with a version of the pepper decides which secret it is', async (t) => {
  const check = (keyPepper: string) => checkPeppers(stores.keyPeppers, parsePeppers(keyPepper))
  const starts = await Promise.allSettled([check(old), check(other)])
  t.same(starts.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'], 'at once')
  const [first, second] = starts[0]?.status === 'fulfilled' ? [old, other] : [other, old]
  await t.rejects(
    check(second),
    /copy KEY_PEPPER from a process that serves, or give .* \(e\.g\. 2:/,
  )

  // Step 1 of a rotation, for which each host made its own secret.
  await t.rejects(check(`1:${second},3:${fresh}`), /version 1/)
  await check(`1:${first},2:${fresh}`)
  const own = `1:${first},2:${other}x`
  await t.rejects(check(own), /version 2 is not the secret that the first process/)
  await t.rejects(check(`2:${other}x,1:${first}`), /version 2/, 'not by step 2 either')
  await check(`1:${first},3:${other}x`)
})

t.test('no process and no command makes a key that others cannot verify', async (t) => {
  const { application } = await testApplication(stores)
  const applicationId = application.id
  const issueWith = async (keyPepper: string): Promise<number | undefined> => {
    const { keys } = await openStores(open(keyPepper))
    const { id } = await keys.issue({ applicationId, by })
    const row = db.selectFrom('api_keys').select('pepper_version').where('id', '=', id)
    return (await row.executeTakeFirst())?.pepper_version
  }
  const check = (keyPepper: string) => checkPeppers(stores.keyPeppers, parsePeppers(keyPepper))
  t.equal(await issueWith(old), 1, 'a command before the first process')
  await t.rejects(check(other), /version 1 is not the secret that 1 working API key needs/)
  await t.rejects(issueWith(other), /version 1 is another secret here/)

  await check(`1:${old},2:${fresh}`)
  t.equal(await issueWith(`2:${fresh},1:${old}`), 1, 'a command ahead of all processes')
  await check(`2:${fresh},1:${old}`)
  await check(`1:${old},2:${fresh}`)
  t.equal(await issueWith(`1:${old},2:${fresh}`), 2, 'one that is behind')
  await t.rejects(issueWith(old), {
    message:
      'KEY_PEPPER: new keys need version 2, which is missing here; use the KEY_PEPPER of the gateways and portals. No key was made',
  })
  await t.rejects(issueWith(`2:${other},1:${old}`), /version 2 is another secret here/)
  t.same((await stores.keys.list({ applicationId })).length, 3)
})

t.test('a key moves to the current pepper when it is used, and the old one can go', async (t) => {
  const { application } = await testApplication(stores)
  const { id, key } = await stores.keys.issue({ applicationId: application.id, by })
  const authenticateWith = async (keyPepper: string): Promise<Authentication> => {
    const registry = await openRegistry({ ...open(keyPepper), log: createLog('silent') })
    const outcome = await new Promise<Authentication>((done) => registry.authenticate(key, done))
    // Writes what it noted.
    await registry.close()
    return outcome
  }
  t.match(await authenticateWith(`2:${fresh},1:${old}`), { keyId: id })
  const row = db.selectFrom('api_keys').select('pepper_version').where('id', '=', id)
  t.same(await row.executeTakeFirst(), { pepper_version: 2 })
  await checkPeppers(stores.keyPeppers, parsePeppers(`2:${fresh}`))
  t.match(await authenticateWith(`2:${fresh}`), { keyId: id })
  t.match(await authenticateWith(`1:${old},2:${fresh}`), { keyId: id })
  t.same(
    await row.executeTakeFirst(),
    { pepper_version: 2 },
    'a process that is behind moves none back',
  )
  t.equal(await authenticateWith(`1:${old}`), 'unreachable', 'nothing can be said without it')
})

t.test('the pepper changes while processes run, and no key is refused meanwhile', async (t) => {
  const { application } = await testApplication(stores)
  const applicationId = application.id
  const settings = [createWatchedCopy(old), createWatchedCopy(old)] as const
  const processes = await Promise.all(
    settings.map((setting) =>
      openRegistry({ ...open(old), log: createLog('silent'), peppers: livePeppers(setting) }),
    ),
  )
  const [one] = processes
  const { database } = open(old)
  const { auditChain } = openRecords({ database, peppers: livePeppers(settings[1]) })
  t.teardown(() => Promise.all(processes.map((registry) => registry.close())))
  const everywhere = (key: string) =>
    Promise.all(
      processes.map((registry) => new Promise((done) => registry.authenticate(key, done))),
    )
  const first = await stores.keys.issue({ applicationId, name: 'first', by })
  const works = [{ keyId: first.id }, { keyId: first.id }]
  t.match(await everywhere(first.key), works)

  for (const { take } of settings) take(`1:${old},2:${fresh}`)
  await checkPeppers(stores.keyPeppers, parsePeppers(`2:${fresh},1:${old}`))
  settings[0].take(`2:${fresh},1:${old}`)
  const made = (await one?.keys.issue({ applicationId, name: 'second', by })) ?? first
  t.match(await everywhere(made.key), [{ keyId: made.id }, { keyId: made.id }])
  settings[1].take(`2:${fresh},1:${old}`)
  t.match(await everywhere(first.key), works)
  const under = async (version: number) =>
    (await stores.keys.underPepper(version)).map(({ name }) => name)
  t.same([await under(1), await under(2)], [['first'], ['second']])
  await t.rejects(
    checkPeppers(stores.keyPeppers, parsePeppers(`2:${fresh}`)),
    /version 1 is missing/,
  )

  await stores.keys.revoke({ id: first.id, by })
  t.same(await under(1), [])
  for (const { take } of settings) take(`2:${fresh}`)
  t.match(await everywhere(made.key), [{ keyId: made.id }, { keyId: made.id }])
  t.same(auditChain.keys.size, 1, 'the audit log follows')
})

t.test('no key lives longer than the settings permit', async (t) => {
  const { application } = await testApplication(stores)
  const applicationId = application.id
  const endless = await stores.keys.issue({ applicationId, name: 'endless', by })
  const soon = new Date(Date.now() + 10 * dayMs)
  const short = await stores.keys.issue({ applicationId, name: 'short', expiresAt: soon, by })
  const limited = await openStores(open(old, 90))
  const daysOf = (at: Date | null | undefined) => Math.round((Number(at) - Date.now()) / dayMs)

  const issued = await limited.keys.issue({ applicationId, name: 'new', by })
  t.equal(daysOf(issued.expiresAt), 90)
  await t.rejects(
    limited.keys.issue({ applicationId, expiresAt: new Date(Date.now() + 91 * dayMs), by }),
    { field: 'expiresAt', message: /at most 90 days from now/ },
  )
  const next = await limited.keys.rotate({ id: endless.id, overlapSeconds: 60, by })
  t.equal(daysOf(next.expiresAt), 90, 'a rotation does not bring more')

  await stores.keys.issue({ applicationId, name: 'older', by })
  t.equal(await limited.keys.limitLives(), 1)
  t.equal(await limited.keys.limitLives(), 0, 'once')
  const [older] = (await limited.keys.list({ applicationId })).filter(
    ({ name }) => name === 'older',
  )
  t.equal(daysOf(older?.expiresAt), 90, 'counted from now')
  t.equal(daysOf((await limited.keys.find(short.id))?.expiresAt), 10, 'a shorter life stays')
  t.equal(await stores.keys.limitLives(), 0, 'no maximum, no change')
})

t.test('a key that stopped working thirty days ago is deleted, others stay', async (t) => {
  const { application } = await testApplication(stores)
  const applicationId = application.id
  const ids: Record<string, string> = {}
  for (const name of ['works', 'revoked', 'expired', 'recent', 'replaced']) {
    ids[name] = (await stores.keys.issue({ applicationId, name, by })).id
  }
  const successor = await stores.keys.rotate({
    id: ids['replaced'] ?? '',
    overlapSeconds: 86_400,
    by,
  })
  const age = (id: string | undefined, column: string, days: number) =>
    sql`update api_keys set ${sql.ref(column)} = now() - make_interval(days => ${days}) where id = ${id}`.execute(
      db,
    )
  await age(ids['revoked'], 'revoked_at', 31)
  await age(ids['expired'], 'expires_at', 31)
  await age(ids['recent'], 'revoked_at', 29)
  await age(successor.id, 'revoked_at', 31)
  await stores.keys.prune()
  const left = await stores.keys.list({ applicationId })
  t.same(left.map(({ id }) => id).toSorted(), [
    ...[ids['works'], ids['recent'], ids['replaced'], successor.id].toSorted(),
  ])
  await age(ids['replaced'], 'expires_at', 31)
  await stores.keys.prune()
  await stores.keys.prune()
  t.equal((await stores.keys.list({ applicationId })).length, 2)
})

t.test(
  'the addresses of a key are checked, change while it works, and survive rotation',
  async (t) => {
    const { application } = await testApplication(stores)
    const applicationId = application.id
    const allowedAddresses = ['192.0.2.7', '2001:DB8::/32', '192.0.2.7']
    const issued = await stores.keys.issue({ applicationId, allowedAddresses, by })
    t.same(issued.allowedAddresses, ['192.0.2.7', '2001:db8::/32'])
    const next = await stores.keys.rotate({ id: issued.id, overlapSeconds: 0, by })
    t.same(next.allowedAddresses, issued.allowedAddresses)
    for (const wrong of [
      ['x'],
      ['10.0.0.0/33'],
      ['10.0.0.1 10.0.0.2'],
      new Array(21).fill('').map((_, at) => `10.0.0.${at}`),
    ]) {
      const change = stores.keys.update({ id: next.id, allowedAddresses: wrong, by })
      await t.rejects(change, { message: /^allowedAddresses must be/ })
    }
    await t.rejects(stores.keys.update({ id: issued.id, allowedAddresses: [], by }), {
      message: /no longer works/,
    })
    t.same(
      (await stores.keys.update({ id: next.id, allowedAddresses: [], by })).allowedAddresses,
      [],
    )
    await stores.keys.update({ id: next.id, allowedAddresses: ['203.0.113.77'], by })
    const entries = await stores.audit.list({ subject: `key:${next.id}`, limit: 10 })
    t.same(
      entries.map(({ detail }) => detail['allowedAddresses']),
      ['1', '0', '2'],
      'changed twice, and chosen when it was made',
    )
    t.notMatch(JSON.stringify(entries), /203\.0|192\.0/, 'the audit keeps no address for ever')
  },
)
