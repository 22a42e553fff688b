import t from 'tap'
import { createClient } from '../support/calling.ts'
import { readMails } from '../support/mails.ts'
import { besidePortal } from '../support/portal-client.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { addApp } from '../support/second-factor.ts'
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
    const [before, { status, body }] = [Date.now(), await send('POST', `${path}/page-key`)]
    t.equal(status, 201)
    t.match(body.key, /^tg_/)
    const endsAt = Date.parse(body.expiresAt) - 15 * 60_000
    t.ok(endsAt >= before && endsAt <= Date.now(), 'fifteen minutes later')
    t.equal(await statusOf(own.key), 200)
    t.equal(await statusOf(body.key), 200)
    t.equal(await statusOf(own.key), 200)
    t.same([await statusOf(own.key), await statusOf(body.key)], [429, 429], 'one limit')
    await until('the records say which calls the page made', async () => {
      const { items } = (await send('GET', `${path}/calls`)).body
      const madeBy = items.map((record: { isPageKey: boolean }) => record.isPageKey)
      return madeBy.join() === 'true,false,false,true,false'
    })
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

t.test('a session has five for each application: the oldest one is dropped', async (t) => {
  const owner = await newOwner()
  const { send, path } = owner
  const other = (await (await beside.signIn(owner)).send('POST', `${path}/page-key`)).body
  const keys: string[] = []
  for (let tab = 0; tab < 6; tab += 1) {
    keys.push((await send('POST', `${path}/page-key`)).body.key)
  }
  const [oldest = '', ...others] = keys
  await refused('the oldest one is refused', oldest)
  for (const key of [...others, other.key]) t.not(await statusOf(key), 401)
})

t.test('it is neither rotated, changed nor kept by way of its routes', async (t) => {
  const { id, send, path } = await newOwner()
  const { body } = await send('POST', `${path}/page-key`)
  const at = `${path}/keys/${body.id}`
  t.equal((await send('POST', `${at}/rotate`, { overlapSeconds: 60 })).status, 404)
  t.equal((await send('PATCH', at, { mayReplaceItself: true })).status, 404)
  t.equal((await send('DELETE', at)).status, 404)
  const { keys } = beside.stores
  for (const change of [
    () => keys.rotate({ id: body.id, overlapSeconds: 0, by: 'test' }),
    () => keys.update({ id: body.id, mayReplaceItself: true, by: 'test' }),
  ]) {
    await t.rejects(change(), { name: 'RegistryNotFound' })
  }
  t.equal((await keys.list({ applicationId: id })).length, 1)
})

/** What ends a session, and the actor of what ends with it; undefined: the developer. */
const endings: Readonly<
  Record<
    string,
    { by?: string; end: (owner: Awaited<ReturnType<typeof newOwner>>) => Promise<unknown> }
  >
> = {
  'a sign-out': { end: ({ send }) => send('DELETE', '/api/session') },
  'its end from another session': {
    end: async (owner) => {
      const other = await beside.signIn(owner)
      const { items } = (await other.send('GET', '/api/sessions')).body
      const [session] = items.filter(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
      return other.send('DELETE', `/api/sessions/${session.id}`)
    },
  },
  'the first second factor, added in another session': {
    end: async (owner) => {
      const other = await beside.signIn(owner)
      return addApp((path, body) => other.send('POST', path, body))
    },
  },
  'the end of all sessions': { end: ({ send }) => send('DELETE', '/api/sessions') },
  'the end of all sessions by a command': {
    by: 'operator:root',
    end: ({ developer }) =>
      beside.stores.sessions.endAll({ developerId: developer.id, by: 'operator:root' }),
  },
  'a suspension': {
    by: 'operator:root',
    end: ({ developer }) =>
      beside.stores.developers.suspend({ id: developer.id, by: 'operator:root' }),
  },
  'the role of an operator': {
    by: 'operator:root',
    end: ({ developer }) => beside.stores.operators.add({ id: developer.id, by: 'operator:root' }),
  },
  'a reset of second factors': {
    by: 'operator:root',
    end: ({ developer }) =>
      beside.stores.factors.reset({ developerId: developer.id, by: 'operator:root' }),
  },
}
for (const [ending, { by, end }] of Object.entries(endings)) {
  t.test(`it ends with its session by ${ending}, and the audit names the actor`, async (t) => {
    const owner = await newOwner()
    const { body } = await owner.send('POST', `${owner.path}/page-key`)
    t.equal(await statusOf(body.key), 200)
    await end(owner)
    const [entry] = await beside.stores.audit.list({ subject: `key:${body.id}`, limit: 1 })
    t.match(entry, {
      action: 'key.revoke',
      actor: by ?? `developer:${owner.developer.id}`,
      detail: { forPage: 'true' },
    })
    await until('the key is refused', async () => [401, 403].includes(await statusOf(body.key)))
  })
}

t.test('it does not outlive its session', async (t) => {
  const { send, path, developer } = await newOwner()
  const endsAt = new Date(Date.now() + 60_000)
  await beside.db
    .updateTable('sessions')
    .set({ expires_at: endsAt })
    .where('developer_id', '=', developer.id)
    .execute()
  const { body } = await send('POST', `${path}/page-key`)
  t.equal(body.expiresAt, endsAt.toISOString())
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
