import { randomUUID } from 'node:crypto'
import t from 'tap'
import { drills } from '../../src/platform/http/drills.ts'
import { besidePortal } from '../support/portal-client.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

t.test('records distinguish a drill from a call, and no usage counts one', async (t) => {
  const tollgate = await runTollgate(t)
  const beside = await besidePortal(t, tollgate)
  const owner = await beside.signIn()
  const { body: application } = await owner.send('POST', '/api/applications', { name: 'Budget' })
  const path = `/api/applications/${application.id}`
  const version = { api: 'xs2a', version: '1.7.0' }
  await owner.send('POST', `${path}/subscriptions`, { ...version, plan: 'default' })
  const { body: issued } = await owner.send('POST', `${path}/keys`, { name: 'First' })
  const { body: consent } = await owner.send('POST', `${path}/sandbox/consents`, {})
  // The slow one takes seconds; test/edge/drills shows it on a moved clock.
  const quick = drills.filter((drill) => drill !== 'slow')
  // One breaks off.
  await Promise.allSettled(
    quick.map(async (drill) => {
      const answer = await fetch(`${tollgate.urls.gateway}/v1.7.0/accounts`, {
        headers: {
          'x-api-key': issued.key,
          'x-request-id': randomUUID(),
          'sandbox-drill': drill,
          'consent-id': consent.consentId,
          'psu-ip-address': '192.0.2.44',
        },
      })
      await answer.text()
    }),
  )
  const calls = async () => (await owner.send('GET', `${path}/calls?limit=100`)).body.items
  await until('each drill has a record', async () => (await calls()).length === quick.length)
  const items: { drill: string; reason: string }[] = await calls()
  t.same(items.map(({ drill }) => drill).toSorted(), quick.toSorted())
  for (const { drill, reason } of items)
    t.match(reason, /^A drill: .* does not count against your limit\.$/, drill)
  const { body: usage } = await owner.send('GET', `${path}/usage`)
  t.notMatch(JSON.stringify(usage), /"(?:used|admitted|refused)":[1-9]/)
})

t.test('without a sandbox no page and no document offers a drill', async (t) => {
  const tollgate = await runTollgate(t, { env: { SANDBOX: 'off' } })
  const { portal, gateway } = tollgate.urls
  const document = await (await fetch(`${portal}/api/apis/xs2a/1.7.0/openapi.json`)).text()
  t.match(document, 'listAccounts')
  t.notMatch(document, 'Sandbox-Drill')
  const refused = await fetch(`${gateway}/v1.7.0/accounts`, {
    headers: { 'sandbox-drill': '429' },
  })
  t.equal(refused.status, 401, 'a call without a key gets no further')
})

t.test('a document offers no drills if its API has its own backend', async (t) => {
  const backend = await startRawBackend(t)
  const { urls } = await runTollgate(t, { env: { BACKEND_URLS: `mandate=${backend.url}` } })
  const offers = async (path: string) => {
    const document = await fetch(`${urls.portal}/api/apis/${path}/openapi.json`)
    return (await document.text()).includes('Sandbox-Drill')
  }
  t.equal(await offers('mandate/1.0.0'), false)
  t.equal(await offers('xs2a/1.7.0'), true)
})
