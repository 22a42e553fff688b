import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { DatabaseError } from 'pg'
import t from 'tap'
import { refusalOf } from '../../src/portal/api/refusal-of.ts'
import type { Outbox } from '../../src/portal/mail/outbox.ts'
import type { PortalSchema } from '../../src/portal/stores/schema.ts'
import { postgresMissing, testPostgres } from '../support/database.ts'
import { testStores } from '../support/registry.ts'

const rounds = 40
const sent = {
  at: new Date(),
  outbox: { post: async (): Promise<void> => undefined },
  language: 'en',
} as const

/** An outbox that shows the token of a letter. */
function tokenTo(take: (token: string) => void): Outbox {
  return {
    async post(_trx, letter) {
      if ('token' in letter) take(letter.token)
    },
  }
}

const address = (): string => `${randomBytes(8).toString('hex')}@example.com`

t.test(
  'what is done to one account at once is done one after the other: nothing waits in a circle, nothing is a mistake of ours',
  { skip: postgresMissing(), timeout: 60_000 },
  async (t) => {
    const opened = await testPostgres(t)
    const stores = await testStores(opened.database)
    const db = opened.database.connect<PortalSchema>()
    const failures: unknown[] = []
    const atOnce = (...works: Promise<unknown>[]): Promise<unknown> =>
      Promise.all(works.map((work) => work.catch((error: unknown) => failures.push(error))))

    /** A developer with two links in the mail. */
    async function newDeveloper() {
      const { id, email } = await stores.developers.create({
        email: address(),
        name: 'Ada',
        by: 'test',
      })
      await db.updateTable('developers').set({ password_hash: 'h' }).where('id', '=', id).execute()
      let resetToken = ''
      let addressToken = ''
      await stores.passwordResets.request({
        email,
        language: 'en',
        outbox: tokenTo((token) => {
          resetToken = token
        }),
      })
      await stores.profiles.update({
        developerId: id,
        checkedHash: 'h',
        email: address(),
        ...sent,
        outbox: tokenTo((token) => {
          addressToken = token
        }),
      })
      return { id, email, resetToken, addressToken }
    }

    for (let round = 0; round < rounds; round++) {
      const { id, email, resetToken, addressToken } = await newDeveloper()
      const own = { developerId: id, checkedHash: 'h', ...sent }
      await atOnce(
        stores.profiles.confirmEmail({ token: addressToken, ...sent }),
        stores.profiles.update({ ...own, email: address() }),
        stores.profiles.update({ ...own, passwordHash: 'h' }),
        stores.passwordResets.complete({ token: resetToken, passwordHash: 'h', ...sent }),
        stores.passwordResets.request({ email, ...sent }),
        stores.signUps.request({ email, name: 'Ada', ...sent }),
      )
    }
    t.same(failures, [], 'changes of one account')

    for (let round = 0; round < rounds; round++) {
      const { id, email, resetToken, addressToken } = await newDeveloper()
      await atOnce(
        stores.developers.delete({ id, by: 'test' }),
        stores.passwordResets.complete({ token: resetToken, passwordHash: 'h', ...sent }),
        stores.profiles.confirmEmail({ token: addressToken, ...sent }),
        stores.passwordResets.request({ email, ...sent }),
        stores.signUps.request({ email, name: 'Ada', ...sent }),
      )
    }
    t.same(failures, [], 'its deletion among them')

    const { id, email } = await newDeveloper()
    await Promise.all(
      Array.from({ length: 10 }, () => stores.passwordResets.request({ email, ...sent })),
    )
    const live = await db
      .selectFrom('mail_tokens')
      .select('hash')
      .where('developer_id', '=', id)
      .where('purpose', '=', 'password-reset')
      .where('used_at', 'is', null)
      .execute()
    t.equal(live.length, 1, 'of links asked for at once one lives')
  },
)

t.test(
  'a sign-in that crosses the first second factor, or the reset of one, begins no session',
  { skip: postgresMissing() },
  async (t) => {
    const opened = await testPostgres(t)
    const stores = await testStores(opened.database)
    const db = opened.database.connect<PortalSchema>()
    const { id } = await stores.developers.create({ email: address(), name: 'Ada', by: 'test' })
    await db.updateTable('developers').set({ password_hash: 'h' }).where('id', '=', id).execute()
    const begin = (session: string, factor: 'totp' | null) =>
      stores.sessions.begin({
        id: session,
        agent: '',
        developerId: id,
        passwordHash: 'h',
        factor,
      })
    t.ok(await begin('owner', null))

    // The email is the last step of the transaction; the thief's statement waits for its end.
    let thief: Promise<boolean> | undefined
    await stores.factors.add({
      developerId: id,
      sessionId: 'owner',
      factor: { kind: 'totp', sealed: randomBytes(32), step: 1 },
      recoveryHashes: [createHash('sha256').update('x').digest()],
      at: new Date(),
      outbox: {
        post: async () => {
          thief = begin('thief', null)
          for (;;) {
            const { rows } = await sql<{ waiting: string }>`
            select count(*) as waiting from pg_stat_activity
            where wait_event_type = 'Lock' and datname = current_database()`.execute(db)
            if (Number(rows[0]?.waiting) > 0) return
          }
        },
      },
    })
    t.equal(await thief, false, 'the password alone no longer suffices')
    t.equal(await stores.sessions.find('thief'), undefined)

    t.ok(await begin('with a code', 'totp'))
    await stores.factors.reset({ developerId: id, by: 'operator:test' })
    t.equal(await begin('with an old code', 'totp'), false, 'the factor is gone')
  },
)

t.test('a transaction that the database gave up may be repeated: it is no mistake of ours', (t) => {
  const error = Object.assign(new DatabaseError('deadlock detected', 0, 'error'), { code: '40P01' })
  t.match(refusalOf(error), { code: 'STORE_UNAVAILABLE', headers: { 'retry-after': /^\d+$/ } })
  t.end()
})
