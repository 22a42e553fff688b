import t from 'tap'
import { createPasswords } from '../../src/portal/accounts/passwords.ts'
import { createPortalClient, testPassword } from '../../test/support/portal.ts'
import { besidePortal } from '../../test/support/portal-client.ts'
import { runTollgate } from '../../test/support/tollgate.ts'

t.test('of a thousand passwords from a thousand networks thirty are compared', async (t) => {
  const tollgate = await runTollgate(t, { isEmbedded: true, env: { TRUSTED_PROXIES: '127.0.0.1' } })
  const { stores, db } = await besidePortal(t, tollgate)
  const email = 'guessed@example.com'
  const { id } = await stores.developers.create({ email, name: 'Ada Lovelace', by: 'test' })
  const passwordHash = await createPasswords().hash(testPassword, 'test')
  await db
    .updateTable('developers')
    .set({ password_hash: passwordHash })
    .where('id', '=', id)
    .execute()

  const statuses: number[] = []
  const guess = async (at: number): Promise<void> => {
    const from = `10.4.${at >> 8}.${at & 255}`
    const client = createPortalClient(tollgate.urls.portal, { from })
    // The right one is among them, after a hundred wrong ones.
    const password = at === 900 ? testPassword : `guess number ${at} of a thousand`
    statuses.push((await client.post('/api/session', { email, password })).status)
  }
  for (let at = 0; at < 1000; at += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, more) => guess(at + more)))
  }
  t.equal(statuses.length, 1000)
  t.equal(statuses.filter((status) => status === 401).length, 30)
  t.equal(statuses.filter((status) => status === 429).length, 970)
  const { failed_sign_ins } = await db
    .selectFrom('developers')
    .select('failed_sign_ins')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  t.equal(failed_sign_ins, 30)
})
