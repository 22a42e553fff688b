import t from 'tap'
import { tollgate as command } from '../support/cli.ts'
import { besidePortal, type PortalAnswer, statuses } from '../support/portal-client.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const tollgate = await runTollgate(t, {
  env: { CHANGES_PER_MINUTE: '60', KEYS_PER_HOUR: '20', TRUSTED_PROXIES: '127.0.0.1' },
})
const { commandEnv, urls } = tollgate
const beside = await besidePortal(t, tollgate)

async function newApplication() {
  const signedIn = await beside.signIn()
  const { body } = await signedIn.send('POST', '/api/applications', { name: 'app' })
  return { ...signedIn, id: String(body.id), path: `/api/applications/${body.id}` }
}

/** The refusals are security events of their own, not attempts to sign in. */
async function throttled(developerId: string, reason: string): Promise<void> {
  const parties = [`developer:${developerId}`]
  await until(`the event of ${reason}`, async () => {
    const rows = await beside.stores.securityEvents.list({ parties, limit: 100 })
    const names = rows.filter(({ event }) => event.endsWith('.throttled'))
    return (
      names.length > 0 &&
      names.every((row) => row.event === 'change.throttled' && row.reason === reason)
    )
  })
}

t.test('a developer makes twenty keys an hour, and can always revoke them', async (t) => {
  const { developer, send, path } = await newApplication()
  const made: string[] = []
  for (let at = 0; at < 20; at += 1) {
    const { status, body } = await send('POST', `${path}/keys`, { name: `key ${at}` })
    t.equal(status, 201)
    made.push(body.id)
    t.equal((await send('DELETE', `${path}/keys/${body.id}`)).status, 204)
  }
  const refused = await send('POST', `${path}/keys`, { name: 'one more' })
  t.match(refused, { status: 429, body: { code: 'ATTEMPTS_EXCEEDED', detail: /revoke/ } })
  t.match(refused.headers['retry-after'], /^3[56]\d\d$/)
  await throttled(developer.id, 'key')
  const other = await newApplication()
  t.equal((await other.send('POST', `${other.path}/keys`, { name: 'other' })).status, 201)
})

t.test('a key that is not made does not count', async (t) => {
  const { send, path } = await newApplication()
  for (let at = 0; at < 25; at += 1) {
    t.equal((await send('POST', `${path}/keys`, { name: 'same' })).status, at === 0 ? 201 : 409)
  }
})

t.test('a developer makes sixty changes a minute; reading and removing go on', async (t) => {
  const { developer, send, path } = await newApplication()
  const answers: PortalAnswer[] = []
  for (let at = 0; at < 70; at += 1) answers.push(await send('PATCH', path, { name: `name ${at}` }))
  const counts = statuses(answers)
  t.same(counts, { 200: 59, 429: 11 }, 'with the one that created the application')
  await throttled(developer.id, 'change')
  t.equal((await send('GET', path)).status, 200)
  t.equal((await send('DELETE', path)).status, 204)
})

t.test('operators read the keys of an application page by page', async (t) => {
  const { id } = await newApplication()
  const operator = await beside.signIn({ isOperator: true })
  const issued: string[] = []
  for (let at = 0; at < 120; at += 1) {
    const key = await beside.stores.keys.issue({ applicationId: id, by: 'test' })
    issued.push(key.id)
    await beside.stores.keys.revoke({ id: key.id, by: 'test' })
  }
  const working = await beside.stores.keys.issue({ applicationId: id, by: 'test' })
  const path = `/api/operator/applications/${id}`
  t.notOk('keys' in (await operator.send('GET', path)).body, 'the detail stays small')
  const first = (await operator.send('GET', `${path}/keys`)).body
  t.equal(first.items.length, 100)
  t.equal(first.items[0].id, working.id)
  const second = (await operator.send('GET', `${path}/keys?after=${first.next}`)).body
  t.equal(second.items.length, 21)
  const seen = [...first.items, ...second.items].map((key: { id: string }) => key.id)
  t.same(seen.toSorted(), [...issued, working.id].toSorted())
})

t.test('a key works only from the addresses that its developer listed', async (t) => {
  const { send, id, path } = await newApplication()
  await send('POST', `${path}/subscriptions`, { api: 'xs2a', version: '1.7.0', plan: 'default' })
  const { body: issued } = await send('POST', `${path}/keys`, {
    name: 'office',
    allowedAddresses: ['192.0.2.0/24', '2001:db8::7'],
  })
  t.same(issued.allowedAddresses, ['192.0.2.0/24', '2001:db8::7'])
  const call = async (from: string) => {
    const answer = await fetch(`${urls.gateway}/v1.7.0/accounts`, {
      headers: { 'x-api-key': issued.key, 'x-forwarded-for': from },
    })
    return { status: answer.status, body: Object(await answer.json()) }
  }
  t.not((await call('192.0.2.77')).status, 403)
  t.not((await call('2001:db8::7')).status, 403)
  const used = async () => (await send('GET', `${path}/usage`)).body.items[0]?.used ?? 0
  const before = await used()
  for (const from of ['198.51.100.1', '2001:db8::8', '192.0.2.77, 198.51.100.1']) {
    t.match(await call(from), { status: 403, body: { code: 'ADDRESS_NOT_ALLOWED' } }, from)
  }
  t.equal(await used(), before, 'a refused call is not counted')

  const change = await send('PATCH', `${path}/keys/${issued.id}`, { allowedAddresses: [] })
  t.match(change, { status: 200, body: { allowedAddresses: [] } })
  const isOpen = async () => (await call('198.51.100.1')).status !== 403
  await until('before memory is refreshed', isOpen)
  const wrong = await send('PATCH', `${path}/keys/${issued.id}`, { allowedAddresses: ['x'] })
  t.match(wrong, { status: 400, body: { errors: [{ path: '/allowedAddresses' }] } })

  const allowed = await command(
    commandEnv,
    'key',
    'allow',
    issued.id,
    '--from',
    '192.0.2.9',
    '--json',
  )
  t.match(JSON.parse(allowed.stdout), { applicationId: id, allowedAddresses: ['192.0.2.9'] })
  await until('the key is refused', async () => !(await isOpen()))
})
