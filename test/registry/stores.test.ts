import { sql } from 'kysely'
import t from 'tap'
import { keyState } from '../../src/registry/keys/key-state.ts'
import { eachDatabase } from '../support/database.ts'
import { testApplication, testStores } from '../support/registry.ts'

const by = 'system'
const conflict = (rule: string, message?: string) => ({
  name: 'RegistryConflict',
  rule,
  ...(message === undefined ? {} : { message }),
})
const invalid = (field: string) => ({ name: 'RegistryInputInvalid', field })
const unknown = '00000000-0000-4000-8000-000000000000'

for (const { name, open, skip } of eachDatabase) {
  t.test(name, { skip }, async (t) => {
    const { database } = await open(t)
    const stores = await testStores(database)

    t.test('an email belongs to one developer, in whatever case', async (t) => {
      const ada = await stores.developers.create({ email: 'Ada@Example.com', name: 'Ada', by })
      await t.rejects(
        stores.developers.create({ email: 'ada@example.COM', name: 'Eve', by }),
        conflict('email-taken'),
      )
      t.equal((await stores.developers.findByEmail('ADA@example.com'))?.id, ada.id)
      for (const email of [
        '',
        'ada',
        'a b@c',
        'a@b\r\nBcc: x@y',
        'a@b@c',
        `${'x'.repeat(255)}@y`,
      ]) {
        await t.rejects(stores.developers.create({ email, name: '', by }), invalid('email'))
      }
    })

    t.test('a suspension keeps its first time and ends by resuming', async (t) => {
      const { developer, application } = await testApplication(stores)
      const suspended = await stores.developers.suspend({ id: developer.id, by })
      t.type(suspended.suspendedAt, Date)
      t.same(await stores.developers.suspend({ id: developer.id, by }), suspended)
      t.equal((await stores.developers.resume({ id: developer.id, by })).suspendedAt, null)
      await stores.applications.suspend({ id: application.id, by })
      t.type((await stores.applications.find(application.id))?.suspendedAt, Date)
      // Within the transaction: nothing is added that a suspension in between should have stopped.
      const more = { applicationId: application.id, by }
      const plan = { api: 'xs2a', version: '9.9.9', plan: 'default' }
      const isSuspended = { message: /the application is suspended/ }
      await t.rejects(stores.keys.issue({ ...more, name: 'late' }), isSuspended)
      await t.rejects(stores.subscriptions.add({ ...more, ...plan }), isSuspended)
      t.equal((await stores.applications.resume({ id: application.id, by })).suspendedAt, null)
    })

    t.test('an application is strict from one turn to the next, each on record', async (t) => {
      const { application } = await testApplication(stores)
      const { id } = application
      t.equal(application.strict, false)
      const { horizon } = await stores.changes.read(undefined)
      const turned = await stores.applications.setStrict({ id, strict: true, by })
      t.same(turned, { ...application, strict: true })
      t.same(await stores.applications.setStrict({ id, strict: true, by }), turned, 'again')
      await stores.applications.rename({ id, name: 'named anew', by })
      await stores.applications.suspend({ id, by })
      t.equal((await stores.applications.resume({ id, by })).strict, true)
      t.equal((await stores.applications.find(id))?.strict, true)
      t.equal((await stores.directory.application(id))?.strict, true)
      await stores.applications.setStrict({ id, strict: false, by })
      t.equal((await stores.directory.application(id))?.strict, false)

      const { changes } = await stores.changes.read(horizon)
      t.same(
        changes
          .filter((change) => 'applicationId' in change && change.applicationId === id)
          .map(({ action }) => action),
        ['update', 'update', 'suspend', 'resume', 'update'],
      )
      const audit = await stores.audit.list({ subject: `application:${id}`, limit: 5 })
      t.match(audit, [
        { actor: by, action: 'application.update', detail: { strict: 'false' } },
        { action: 'application.resume' },
        { action: 'application.suspend' },
        { action: 'application.update', detail: { strict: undefined } },
        { actor: by, action: 'application.update', detail: { strict: 'true' } },
      ])
    })

    t.test('of an application all that is given changes, or nothing', async (t) => {
      const { developer, application } = await testApplication(stores)
      const { id } = application
      await stores.applications.create({ developerId: developer.id, name: 'other', by })
      await t.rejects(
        stores.applications.update({ id, name: 'other', strict: true, by }),
        conflict('name-taken'),
      )
      t.same(await stores.applications.find(id), application)
      const updated = await stores.applications.update({ id, name: 'new', strict: true, by })
      t.same(updated, { ...application, name: 'new', strict: true })
      t.same(await stores.applications.update({ id, by }), updated)
    })

    t.test('an id that nothing has is not found, whatever it looks like', async (t) => {
      for (const id of [unknown, 'x', "'; drop table developers; --", '']) {
        t.equal(await stores.developers.find(id), undefined)
        t.equal(await stores.applications.find(id), undefined)
        t.equal(await stores.subscriptions.find(id), undefined)
        t.equal(await stores.keys.find(id), undefined)
        t.same(await stores.keys.list({ applicationId: id }), [])
        for (const attempt of [
          () => stores.developers.suspend({ id, by }),
          () => stores.developers.delete({ id, by }),
          () => stores.applications.create({ developerId: id, name: 'x', by }),
          () => stores.applications.rename({ id, name: 'x', by }),
          () => stores.applications.setStrict({ id, strict: true, by }),
          () => stores.applications.update({ id, by }),
          () => stores.applications.delete({ id, by }),
          () =>
            stores.subscriptions.add({ applicationId: id, api: 'a', version: '1', plan: 'p', by }),
          () => stores.subscriptions.change({ id, plan: 'p', by }),
          () => stores.subscriptions.end({ id, by }),
          () => stores.keys.issue({ applicationId: id, by }),
          () => stores.keys.rotate({ id, overlapSeconds: 0, by }),
          () => stores.keys.revoke({ id, by }),
        ]) {
          await t.rejects(async () => void (await attempt()), { name: 'RegistryNotFound', id })
        }
      }
    })

    t.test('an application name is unique for its developer only', async (t) => {
      const one = await testApplication(stores)
      await testApplication(stores)
      const create = (name: string) =>
        stores.applications.create({ developerId: one.developer.id, name, by })
      await t.rejects(create('app'), conflict('name-taken'))
      const other = await create('other')
      await t.rejects(
        stores.applications.rename({ id: other.id, name: 'app', by }),
        conflict('name-taken'),
      )
      t.equal((await stores.applications.rename({ id: other.id, name: 'new', by })).name, 'new')
      for (const wrong of ['', 'x'.repeat(101)]) {
        await t.rejects(create(wrong), invalid('name'))
      }
    })

    t.test('of 30 applications made at once exactly 10 remain', async (t) => {
      const { developer } = await testApplication(stores)
      const outcomes = await Promise.allSettled(
        Array.from({ length: 30 }, (_, index) =>
          stores.applications.create({ developerId: developer.id, name: `a${index}`, by }),
        ),
      )
      const list = await stores.applications.list({ developerId: developer.id, limit: 100 })
      t.equal(list.length, 10)
      for (const outcome of outcomes.filter(({ status }) => status === 'rejected')) {
        t.match(outcome, { reason: { rule: 'applications-limit', limit: 10 } })
      }
    })

    t.test('of 50 keys issued at once exactly 10 exist', async (t) => {
      const { application } = await testApplication(stores)
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, () => stores.keys.issue({ applicationId: application.id, by })),
      )
      t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 10)
      t.equal((await stores.keys.list({ applicationId: application.id })).length, 10)
      const rejected = outcomes.filter(({ status }) => status === 'rejected')
      t.match(
        rejected,
        rejected.map(() => ({ reason: { rule: 'keys-limit', limit: 10 } })),
      )
    })

    t.test('of 50 rotations of one key at once one succeeds', async (t) => {
      const { application } = await testApplication(stores)
      const { id } = await stores.keys.issue({ applicationId: application.id, by })
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, () => stores.keys.rotate({ id, overlapSeconds: 60, by })),
      )
      t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
      t.equal((await stores.keys.list({ applicationId: application.id })).length, 2)
    })

    t.test('of 20 subscriptions to one version at once one exists', async (t) => {
      const { application } = await testApplication(stores)
      const input = {
        applicationId: application.id,
        api: 'xs2a',
        version: '1.7.0',
        plan: 'default',
        by,
      }
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, () => stores.subscriptions.add(input)),
      )
      t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
      t.match(
        outcomes.find(({ status }) => status === 'rejected'),
        { reason: conflict('already-subscribed') },
      )
    })

    t.test(
      'a subscription changes its plan in place, ends once and can be made again',
      async (t) => {
        const { application } = await testApplication(stores)
        const input = {
          applicationId: application.id,
          api: 'xs2a',
          version: '1.7.0',
          plan: 'default',
          by,
        }
        const first = await stores.subscriptions.add(input)
        t.match(await stores.subscriptions.change({ id: first.id, plan: 'large', by }), {
          id: first.id,
          plan: 'large',
        })
        const ended = await stores.subscriptions.end({ id: first.id, by })
        t.same(await stores.subscriptions.end({ id: first.id, by }), ended)
        await t.rejects(
          stores.subscriptions.change({ id: first.id, plan: 'default', by }),
          conflict('subscription-ended'),
        )
        const second = await stores.subscriptions.add(input)
        const active = await stores.subscriptions.list({ applicationId: application.id })
        t.same(
          active.map(({ id }) => id),
          [second.id],
        )
        t.equal(
          (await stores.subscriptions.list({ applicationId: application.id, withEnded: true }))
            .length,
          2,
        )
      },
    )

    t.test('a key is shown once and not to be found in any table', async (t) => {
      const { application } = await testApplication(stores)
      const issued = await stores.keys.issue({ applicationId: application.id, name: 'one', by })
      t.match(issued.key, new RegExp(`^tg_${issued.id}_[0-9A-Za-z]{49}$`))
      t.equal(issued.hint, `tg_${issued.id}_…${issued.key.slice(-4)}`)
      const [listed] = await stores.keys.list({ applicationId: application.id })
      t.notOk(JSON.stringify(listed).includes(issued.key))
      const db = database.connect<unknown>()
      for (const table of ['api_keys', 'changes', 'audit']) {
        const { rows } = await sql<{ row: string }>`
          select t::text as row from ${sql.table(table)} t`.execute(db)
        t.ok(rows.length > 0)
        t.notOk(
          rows.some(({ row }) => row.includes(issued.key.slice(16))),
          table,
        )
      }
    })

    t.test('a key name is unique among active keys and free again afterwards', async (t) => {
      const { application } = await testApplication(stores)
      const issue = () => stores.keys.issue({ applicationId: application.id, name: 'ci', by })
      const first = await issue()
      await t.rejects(issue(), conflict('name-taken'))
      const revoked = await stores.keys.revoke({ id: first.id, by })
      t.same(await stores.keys.revoke({ id: first.id, by }), revoked, 'revoking twice is revoking')
      const second = await issue()
      const third = await stores.keys.rotate({ id: second.id, overlapSeconds: 60, by })
      t.equal(third.name, 'ci')
      await t.rejects(issue(), conflict('name-taken'))
    })

    t.test('an expired key gives its name and its place back', async (t) => {
      const { application } = await testApplication(stores)
      // A clock in the past issues keys that are expired by the database's.
      const past = await testStores(database, { now: () => Date.now() - 3_600_000 })
      const issue = (from: typeof stores, name: string, expiresAt?: Date) =>
        from.keys.issue({ applicationId: application.id, name, expiresAt, by })
      for (let index = 0; index < 10; index++) {
        await issue(past, `k${index}`, new Date(Date.now() - 60_000 + index))
      }
      await issue(stores, 'k0')
      const states = (await stores.keys.list({ applicationId: application.id })).map((key) =>
        keyState(key, Date.now()),
      )
      t.same(states.sort(), ['active', ...Array(10).fill('expired')])
      await t.rejects(issue(stores, 'late', new Date(Date.now() - 1)), invalid('expiresAt'))
    })

    t.test('a rotated key works for its overlap and no rotation multiplies keys', async (t) => {
      const { application } = await testApplication(stores)
      const at = Date.now()
      const stopped = await testStores(database, { now: () => at })
      const old = await stopped.keys.issue({
        applicationId: application.id,
        expiresAt: new Date(at + 7_200_000),
        by,
      })
      const next = await stopped.keys.rotate({ id: old.id, overlapSeconds: 600, by })
      const replaced = await stores.keys.find(old.id)
      t.equal(replaced?.replacedBy, next.id)
      t.same(replaced?.expiresAt, new Date(at + 600_000))
      const life = Number(old.expiresAt) - Number(old.createdAt)
      t.same(next.expiresAt, new Date(at + life), 'the new one lives as long as the old one')
      await t.rejects(
        stores.keys.rotate({ id: old.id, overlapSeconds: 0, by }),
        conflict('key-inactive', 'the key is replaced already'),
      )
      await t.rejects(
        stores.keys.rotate({ id: next.id, overlapSeconds: 1, by }),
        conflict('key-overlap'),
      )
      const third = await stores.keys.rotate({ id: next.id, overlapSeconds: 0, by })
      t.type((await stores.keys.find(next.id))?.revokedAt, Date)
      await stores.keys.revoke({ id: third.id, by })
      await t.rejects(
        stores.keys.rotate({ id: third.id, overlapSeconds: 0, by }),
        conflict('key-inactive', 'the key is revoked already'),
      )
      for (const overlapSeconds of [-1, 0.5, Number.NaN, 2_592_001]) {
        await t.rejects(
          stores.keys.rotate({ id: old.id, overlapSeconds, by }),
          invalid('overlapSeconds'),
        )
      }
    })

    t.test('the tenth key can be rotated with an overlap', async (t) => {
      const { application } = await testApplication(stores)
      const issue = () => stores.keys.issue({ applicationId: application.id, by })
      for (let index = 0; index < 9; index++) await issue()
      const last = await issue()
      await stores.keys.rotate({ id: last.id, overlapSeconds: 60, by })
      await t.rejects(issue(), conflict('keys-limit'))
    })

    t.test('a deleted developer takes everything along', async (t) => {
      const { developer, application } = await testApplication(stores)
      const key = await stores.keys.issue({ applicationId: application.id, by })
      await stores.keys.rotate({ id: key.id, overlapSeconds: 60, by })
      await stores.subscriptions.add({
        applicationId: application.id,
        api: 'xs2a',
        version: '1.7.0',
        plan: 'default',
        by,
      })
      await stores.developers.delete({ id: developer.id, by })
      t.equal(await stores.applications.find(application.id), undefined)
      t.equal(await stores.keys.find(key.id), undefined)
      t.same(await stores.subscriptions.list({ applicationId: application.id }), [])
    })

    t.test(
      'every change leaves an audit entry and a change; a refused one leaves neither',
      async (t) => {
        const before = await stores.changes.read(undefined)
        const { developer, application } = await testApplication(stores)
        const key = await stores.keys.issue({
          applicationId: application.id,
          name: 'k',
          by: 'operator:ada',
        })
        await t.rejects(stores.keys.issue({ applicationId: application.id, name: 'k', by }))
        await stores.keys.revoke({ id: key.id, by: `developer:${developer.id}` })
        t.match(await stores.audit.list({ subject: `key:${key.id}`, limit: 10 }), [
          { actor: `developer:${developer.id}`, action: 'key.revoke', at: Date },
          { actor: 'operator:ada', action: 'key.issue', detail: { applicationId: application.id } },
        ])
        const { changes } = await stores.changes.read(before.horizon)
        t.match(changes, [
          { kind: 'developer', action: 'create', developerId: developer.id },
          { kind: 'application', action: 'create', applicationId: application.id },
          { kind: 'key', action: 'issue', keyId: key.id, applicationId: application.id },
          { kind: 'key', action: 'revoke', keyId: key.id },
        ])
        t.equal(changes.length, 4)
      },
    )

    t.test('lists go on after the last item seen', async (t) => {
      const { developer } = await testApplication(stores)
      for (const name of ['b', 'c', 'd']) {
        await stores.applications.create({ developerId: developer.id, name, by })
      }
      const first = await stores.applications.list({ developerId: developer.id, limit: 2 })
      const rest = await stores.applications.list({
        developerId: developer.id,
        limit: 10,
        after: first.at(-1)?.id,
      })
      t.same(
        [...first, ...rest].map((item) => item.name),
        ['app', 'b', 'c', 'd'],
      )
      await t.rejects(stores.developers.list({ limit: 1, after: 'x' }), invalid('after'))
    })
  })
}
