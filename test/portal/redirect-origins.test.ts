import { randomUUID } from 'node:crypto'
import t from 'tap'
import { tollgate as command } from '../support/cli.ts'
import { besidePortal } from '../support/portal-client.ts'
import { bill, consentRequest, mandateRequest } from '../support/requests.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const tollgate = await runTollgate(t)
const beside = await besidePortal(t, tollgate)
const { developer, send } = await beside.signIn()
const evil = 'https://evil.example/cb'

/** An application of the developer, and what the bank answers to a call of it. */
async function newCaller(name: string) {
  const { body: application } = await send('POST', '/api/applications', { name })
  const path = `/api/applications/${application.id}`
  for (const [api, version] of [
    ['xs2a', '1.7.0'],
    ['mandate', '1.0.0'],
  ]) {
    await send('POST', `${path}/subscriptions`, { api, version, plan: 'default' })
  }
  const { body: issued } = await send('POST', `${path}/keys`, { name: 'key' })

  async function ask(target: string, body: object, headers: Readonly<Record<string, string>>) {
    const response = await fetch(tollgate.urls.gateway + target, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': issued.key,
        'x-request-id': randomUUID(),
        'psu-ip-address': '192.0.2.1',
        ...headers,
      },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    // Parse boundary: a consent, or an error of the bank.
    const { tppMessages } = JSON.parse(text) as {
      tppMessages?: { code: string; path?: string; text: string }[]
    }
    return { status: response.status, message: tppMessages?.[0], text }
  }
  const consent = (uri: string, header = 'tpp-redirect-uri') =>
    ask('/v1.7.0/consents', consentRequest, { [header]: uri })
  return { id: String(application.id), path, ask, consent }
}

t.test(
  'the bank sends customers back only to origins that the application has registered',
  async (t) => {
    const { path, ask, consent } = await newCaller('Registered')
    t.equal((await consent(evil)).status, 201, 'an application without origins may name any')

    const given = ['HTTPS://App.Example:443/', 'http://localhost:3000', 'https://app.example']
    const registered = ['https://app.example', 'http://localhost:3000']
    const changed = await send('PATCH', path, { redirectOrigins: given })
    t.match(changed, { status: 200, body: { redirectOrigins: registered } })
    const isRefused = async () => (await consent(evil)).status === 400
    await until('before memory is refreshed', isRefused)

    for (const uri of [
      evil,
      'https://app.example.evil.example/',
      'https://app.example:8443/cb',
      'http://localhost:3001/cb',
      'http://127.0.0.1:3000/cb',
    ]) {
      const { status, message } = await consent(uri)
      t.same([status, message?.code, message?.path], [400, 'FORMAT_ERROR', 'TPP-Redirect-URI'], uri)
      t.match(message?.text, new URL(uri).origin)
      t.match(message?.text, registered.join(', '), 'it says what is registered')
    }
    const nok = await consent(evil, 'tpp-nok-redirect-uri')
    t.match(nok, { status: 400, message: { path: 'TPP-Nok-Redirect-URI' } })
    const headers = { 'tpp-redirect-uri': evil, 'psu-id': '305567661' }
    for (const [target, body] of [
      ['/v1.7.0/payments/masav', bill],
      ['/v1.0.0/mandates', mandateRequest],
    ] as const) {
      const refused = await ask(target, body, headers)
      t.match(refused, { status: 400, text: /FORMAT_ERROR.*has not registered the origin/ })
    }
    for (const uri of [
      'https://app.example/cb?state=1',
      'https://App.Example/cb',
      'http://localhost:3000/',
    ]) {
      t.equal((await consent(uri)).status, 201, uri)
    }

    t.equal((await send('PATCH', path, { redirectOrigins: [] })).status, 200)
    await until('the origin is allowed', async () => (await consent(evil)).status === 201)
  },
)

t.test('origins are at most ten, without a path, and over TLS', async (t) => {
  const { path } = await newCaller('Invalid')
  const ten = Array.from({ length: 10 }, (_, at) => `https://app-${at}.example`)
  for (const redirectOrigins of [
    ['http://app.example'],
    ['https://app.example/cb'],
    ['https://app.example/?x'],
    ['https://app.example/#x'],
    ['https://user@app.example'],
    ['https://:secret@app.example'],
    ['https://*.app.example'],
    ['https://app.example;sandbox'],
    ['app.example'],
    ['javascript:alert(1)'],
    ['null'],
    [''],
    [`https://${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.example.org`],
    [...ten, 'https://one.more.example'],
    'https://app.example',
    [1],
  ]) {
    const answer = await send('PATCH', path, { redirectOrigins })
    const about = JSON.stringify(redirectOrigins)
    t.match(answer, { status: 400, body: { errors: [{ path: /^\/redirectOrigins/ }] } }, about)
  }
  t.match((await send('GET', path)).body, { redirectOrigins: [] })
  const full = await send('PATCH', path, { redirectOrigins: ten })
  t.match(full, { status: 200, body: { redirectOrigins: ten } })
})

t.test('every change of the origins is in the audit log, regardless of the actor', async (t) => {
  const { id, path } = await newCaller('Audited')
  await send('PATCH', path, { redirectOrigins: ['https://a.example', 'https://b.example'] })
  await send('PATCH', path, { redirectOrigins: ['https://a.example', 'https://b.example'] })
  await send('PATCH', path, { name: 'Audited again' })

  const env = tollgate.commandEnv
  const args = ['application', 'redirects', id]
  const set = await command(env, ...args, '--origin', 'https://c.example', '--json')
  t.match(JSON.parse(set.stdout), { redirectOrigins: ['https://c.example'] })
  t.match((await command(env, 'application', 'show', id)).stdout, 'https://c.example')
  t.match((await command(env, ...args)).stdout, /redirectOrigins +│ - /)
  const wrong = await command(env, ...args, '--origin', 'http://c.example')
  t.match(wrong, { code: 1, stderr: /redirectOrigins must be a list of at most 10 origins/ })

  const entries = await beside.stores.audit.list({ subject: `application:${id}`, limit: 10 })
  t.match(entries, [
    { actor: /^operator:/, detail: { redirectOrigins: '' } },
    { actor: /^operator:/, detail: { redirectOrigins: 'https://c.example' } },
    { action: 'application.update', detail: { redirectOrigins: undefined } },
    {
      actor: `developer:${developer.id}`,
      action: 'application.update',
      detail: { redirectOrigins: 'https://a.example https://b.example' },
    },
    { action: 'application.create' },
  ])
})
