import t from 'tap'
import { createClient } from '../support/calling.ts'
import { readMails } from '../support/mails.ts'
import { besidePortal } from '../support/portal-client.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const backend = await startRawBackend(t)
const tollgate = await runTollgate(t, {
  env: { BACKEND_URL: backend.url, KEYS_PER_HOUR: '3' },
  plan: { calls: 3, window: 'P365D' },
})
const beside = await besidePortal(t, tollgate)
const gateway = createClient(t, tollgate.urls.gateway, 4)

/** A developer with a subscribed application and a key of their own. */
async function newOwner() {
  const owner = await beside.signIn()
  const { id } = (await owner.send('POST', '/api/applications', { name: 'Played with' })).body
  const path = `/api/applications/${id}`
  const version = { api: 'xs2a', version: '1.7.0', plan: 'default' }
  await owner.send('POST', `${path}/subscriptions`, version)
  const { body: own } = await owner.send('POST', `${path}/keys`, { name: 'own' })
  return { ...owner, id: String(id), path, own }
}

const statusOf = async (key: string) => (await gateway.call({ key })).status
const refused = (what: string, key: string) =>
  until(what, async () => (await statusOf(key)) === 401)

t.test(
  'a key for a page works for 15 minutes at most, and counts against the limits of its application',
  async (t) => {
    const { send, path, own } = await newOwner()
    const before = Date.now()
    const { status, body } = await send('POST', `${path}/page-key`)
    t.equal(status, 201)
    t.match(body.key, /^tg_/)
    const lifeMs = Date.parse(body.expiresAt) - before
    t.ok(lifeMs > 14 * 60_000 && lifeMs <= 16 * 60_000, `${lifeMs} ms`)
    t.equal(await statusOf(own.key), 200)
    t.equal(await statusOf(body.key), 200)
    t.equal(await statusOf(own.key), 200)
    t.same([await statusOf(own.key), await statusOf(body.key)], [429, 429], 'one limit')
  },
)

t.test(
  'it stands in no list, takes no place of a key, is in the audit, and no mail tells of it',
  async (t) => {
    const { send, path, own, developer } = await newOwner()
    const { body } = await send('POST', `${path}/page-key`)
    const listed = (await send('GET', `${path}/keys`)).body.items
    t.same(
      listed.map(({ id }: { id: string }) => id),
      [own.id],
    )
    const [summary] = (await send('GET', '/api/applications/summary')).body.items
    t.equal(summary.workingKeys, 1)
    const entries = await beside.stores.audit.list({ subject: `key:${body.id}`, limit: 5 })
    t.match(entries, [
      {
        actor: `developer:${developer.id}`,
        action: 'key.issue',
        detail: { forPage: 'true' },
      },
    ])
    // A mail about a later key shows that the jobs have passed the key for the page.
    const later = await send('POST', `${path}/keys`, { name: 'later' })
    let mails: Awaited<ReturnType<typeof readMails>> = []
    await until('the developer is told of the later key', async () => {
      mails = await readMails(tollgate.dataDir)
      return mails.some(({ text }) => text.includes(later.body.hint))
    })
    t.notOk(mails.some(({ text }) => text.includes(body.id)))
  },
)

t.test('a session has one for each application: the next one ends the one before', async (t) => {
  const owner = await newOwner()
  const { send, path } = owner
  const first = (await send('POST', `${path}/page-key`)).body
  const other = (await (await beside.signIn(owner)).send('POST', `${path}/page-key`)).body
  const second = (await send('POST', `${path}/page-key`)).body
  await refused('the first one is refused', first.key)
  t.equal(await statusOf(second.key), 200)
  t.equal(await statusOf(other.key), 200, 'that of another session works on')
})

t.test('it ends with its session, however that ends, and with no other', async (t) => {
  const owner = await newOwner()
  const { send, path } = owner
  const kept = (await send('POST', `${path}/page-key`)).body

  const leaving = await beside.signIn(owner)
  const left = (await leaving.send('POST', `${path}/page-key`)).body
  t.equal(await statusOf(left.key), 200)
  t.equal((await leaving.send('DELETE', '/api/session')).status, 204)
  await refused('signed out', left.key)

  const lost = await beside.signIn(owner)
  const stolen = (await lost.send('POST', `${path}/page-key`)).body
  const [newest] = (await send('GET', '/api/sessions')).body.items.filter(
    ({ isCurrent }: { isCurrent: boolean }) => !isCurrent,
  )
  t.equal((await send('DELETE', `/api/sessions/${newest.id}`)).status, 204)
  await refused('ended from another session', stolen.key)

  t.not(await statusOf(kept.key), 401)
  t.equal((await send('DELETE', '/api/sessions')).status, 204)
  await refused('all sessions ended', kept.key)
  const [entry] = await beside.stores.audit.list({ subject: `key:${kept.id}`, limit: 1 })
  t.match(entry, { action: 'key.revoke', detail: { forPage: 'true' } })
})

t.test(
  'new applications get no more first keys in an hour, whether for a page or not, than KEYS_PER_HOUR',
  async (t) => {
    const { send } = await beside.signIn()
    const statuses: number[] = []
    for (let count = 0; count < 4; count += 1) {
      const { id } = (await send('POST', '/api/applications', { name: `New ${count}` })).body
      statuses.push((await send('POST', `/api/applications/${id}/page-key`)).status)
      await send('DELETE', `/api/applications/${id}`)
    }
    t.same(statuses, [201, 201, 201, 429])
  },
)

t.test('only the owner of an application that is not suspended gets one', async (t) => {
  const { id, send, path } = await newOwner()
  const stranger = await newOwner()
  t.equal((await stranger.send('POST', `${path}/page-key`)).status, 404)
  t.equal((await beside.anonymous('POST', `${path}/page-key`)).status, 401)
  await beside.stores.applications.suspend({ id, by: 'test' })
  t.match(await send('POST', `${path}/page-key`), { status: 409, body: { code: 'CONFLICT' } })
})
