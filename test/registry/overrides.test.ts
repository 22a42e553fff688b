import t from 'tap'
import { eachDatabase } from '../support/database.ts'
import { testApplication, testStores } from '../support/registry.ts'
import { TestClock } from '../support/test-clock.ts'

const by = 'developer:11111111-1111-4111-8111-111111111111'
const hour = 3_600_000

for (const { name, open, skip } of eachDatabase) {
  t.test(name, { skip }, async (t) => {
    const { database } = await open(t)
    const clock = new TestClock(Date.now())
    const stores = await testStores(database, { now: () => clock.now })
    const inputFor = (applicationId: string, calls = 200) => ({
      applicationId,
      api: 'xs2a',
      version: '1.7.0',
      limit: 'default',
      calls,
      reason: 'a migration of <b>all</b> accounts',
      expiresAt: new Date(clock.now + hour),
      by,
    })

    t.test(
      'an override applies from its creation to its end, with its key, and is audited',
      async (t) => {
        const { application } = await testApplication(stores)
        const { id: applicationId } = application
        const { key } = await stores.keys.issue({ applicationId, by })
        const overridesOf = async () => {
          const caller = await stores.recognise(key)
          return caller === 'invalid' ? undefined : [...caller.overrides]
        }
        t.same(await overridesOf(), [])
        const before = await stores.changes.read(undefined)
        const made = await stores.overrides.create(inputFor(applicationId))
        t.match(made, { ...inputFor(applicationId), by: undefined, createdBy: by })
        t.same(await stores.overrides.list({ applicationId }), [made])
        t.same(await overridesOf(), [
          ['xs2a@1.7.0', [{ limit: 'default', calls: 200, expiresAt: made.expiresAt }]],
        ])
        const second = await stores.overrides.create({ ...inputFor(applicationId), limit: 'daily' })
        t.equal((await overridesOf())?.[0]?.[1].length, 2)

        await stores.overrides.end({ applicationId, id: made.id, by })
        await stores.overrides.end({ applicationId, id: made.id, by })
        t.same(await stores.overrides.list({ applicationId }), [second])
        const subject = `application:${applicationId}`
        t.match(await stores.audit.list({ subject, limit: 3 }), [
          { actor: by, action: 'override.end', detail: { override: made.id } },
          { actor: by, action: 'override.create', detail: { limit: 'daily' } },
          {
            actor: by,
            action: 'override.create',
            detail: {
              override: made.id,
              api: 'xs2a',
              version: '1.7.0',
              limit: 'default',
              calls: '200',
              reason: made.reason,
              expiresAt: made.expiresAt.toISOString(),
            },
          },
        ])
        const { changes } = await stores.changes.read(before.horizon)
        const mine = changes.filter(
          (change) => 'applicationId' in change && change.applicationId === applicationId,
        )
        t.same(
          mine.map(({ kind, action }) => `${kind} ${action}`).slice(-3),
          ['application override', 'application override', 'application override'],
          'gateways receive each, once',
        )
      },
    )

    t.test(
      'one at a time for a limit, even when many ask at once; an expired one is replaced',
      async (t) => {
        const { application } = await testApplication(stores)
        const { id: applicationId } = application
        const asked = await Promise.allSettled(
          Array.from({ length: 10 }, (_, at) =>
            stores.overrides.create(inputFor(applicationId, 200 + at)),
          ),
        )
        const refused = asked.filter((outcome) => outcome.status === 'rejected')
        t.equal(refused.length, 9)
        for (const { reason } of refused) {
          t.match(reason, { name: 'RegistryConflict', rule: 'override-active' })
        }
        const other = await stores.overrides.create({
          ...inputFor(applicationId),
          version: '1.6.0',
        })
        clock.now += hour
        t.same(await stores.overrides.list({ applicationId }), [])
        await stores.overrides.end({ applicationId, id: other.id, by })
        const [newest] = await stores.audit.list({
          subject: `application:${applicationId}`,
          limit: 1,
        })
        t.equal(newest?.action, 'override.create', 'what has expired is not ended again')
        const next = await stores.overrides.create(inputFor(applicationId, 5))
        t.same(await stores.overrides.list({ applicationId }), [next])
      },
    )

    t.test('what cannot be is refused and leaves nothing', async (t) => {
      const { application } = await testApplication(stores)
      const { application: foreign } = await testApplication(stores)
      const { id: applicationId } = application
      const input = inputFor(applicationId)
      for (const [field, wrong] of [
        ['expiresAt', { expiresAt: new Date(clock.now) }],
        ['expiresAt', { expiresAt: new Date(Number.NaN) }],
        ['calls', { calls: 0 }],
        ['calls', { calls: 1.5 }],
        ['calls', { calls: 2 ** 31 }],
        ['reason', { reason: '' }],
        ['reason', { reason: 'x'.repeat(501) }],
      ] as const) {
        await t.rejects(stores.overrides.create({ ...input, ...wrong }), {
          name: 'RegistryInputInvalid',
          field,
        })
      }
      await t.rejects(stores.overrides.create({ ...input, applicationId: 'x' }), {
        name: 'RegistryNotFound',
        kind: 'application',
      })
      t.same(await stores.overrides.list({ applicationId }), [])
      t.same(await stores.overrides.list({ applicationId: 'x' }), [])
      const made = await stores.overrides.create(input)
      for (const [owner, id] of [
        [foreign.id, made.id],
        [applicationId, 'x'],
        [applicationId, foreign.id],
      ] as const) {
        await t.rejects(stores.overrides.end({ applicationId: owner, id, by }), {
          name: 'RegistryNotFound',
          kind: 'override',
        })
      }
      await t.rejects(stores.overrides.end({ applicationId: 'x', id: made.id, by }), {
        name: 'RegistryNotFound',
        kind: 'application',
      })
      await stores.applications.delete({ id: applicationId, by })
      t.same(await stores.overrides.list({ applicationId }), [])
    })

    t.test('the switch of sign-ups is open until turned, and each turn is on record', async (t) => {
      const { portalState } = stores
      t.equal(await portalState.signUpMode(), 'open')
      await portalState.setSignUpMode({ mode: 'approval', by })
      await portalState.setSignUpMode({ mode: 'approval', by })
      await portalState.setSignUpMode({ mode: 'off', by })
      t.equal(await portalState.signUpMode(), 'off')
      const entries = await stores.audit.list({ subject: 'portal:all', limit: 10 })
      t.same(
        entries.map(({ actor, action, detail }) => ({ actor, action, detail })),
        [
          { actor: by, action: 'sign-up.switch', detail: { before: 'approval', mode: 'off' } },
          { actor: by, action: 'sign-up.switch', detail: { before: 'open', mode: 'approval' } },
        ],
      )
    })
  })
}
