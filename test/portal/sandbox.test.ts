import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { sandboxNameIn } from '../../src/backend/sandbox/name-in.ts'
import { sandboxPsus } from '../../src/backend/sandbox/personas.ts'
import { tollgate as command } from '../support/cli.ts'
import { besidePortal, type PortalAnswer, statuses } from '../support/portal-client.ts'
import { consentRequest } from '../support/requests.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const html = { accept: 'text/html' }

t.test('with a sandbox', async (t) => {
  const secret = 'known to the portal and its bank'
  const tollgate = await runTollgate(t, { env: { SANDBOX_SECRET: secret } })
  const { urls } = tollgate
  const beside = await besidePortal(t, tollgate)
  const owner = await beside.signIn()

  async function createConsent(key: string, headers: Record<string, string>) {
    const answer = await fetch(`${urls.gateway}/v1.7.0/consents`, {
      method: 'POST',
      headers: {
        'x-api-key': key,
        'x-request-id': randomUUID(),
        'psu-ip-address': '192.0.2.44',
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(consentRequest),
    })
    return JSON.parse(await answer.text())
  }

  t.test('the customers of the seeded bank are public', async (t) => {
    const { status, body } = await beside.anonymous('GET', '/api/sandbox')
    t.equal(status, 200)
    t.same(
      body.customers.map(({ psuId, name, alias }: Record<string, string>) => [psuId, name, alias]),
      sandboxPsus.map(({ id, name, alias }) => [id, sandboxNameIn('en', name), alias]),
    )
    const markdown = await (await fetch(`${tollgate.urls.portal}/sandbox.md`)).text()
    for (const { id, name } of sandboxPsus)
      t.match(markdown, `- **${sandboxNameIn('en', name)}** (\`${id}\`): `)
    t.match(body.customers[0].accounts[0], { iban: 'IL030205710000000200285', currency: 'ILS' })
    t.same(body.secrets, { password: '12345', oneTimePassword: '123456' })
    t.same(
      body.ways.map(({ member }: { member: string }) => member),
      ['transactionStatus', 'consentStatus', 'mandateStatus', 'scaStatus'],
    )
    for (const path of ['/sandbox', '/sandbox/return']) {
      t.equal((await fetch(`${urls.portal}${path}`, { headers: html })).status, 200, path)
    }
  })

  t.test('an application reads the accounts of Noa Levi with a ready consent', async (t) => {
    const { id } = (await owner.send('POST', '/api/applications', { name: 'Ready' })).body
    const path = `/api/applications/${id}`
    await owner.send('POST', `${path}/subscriptions`, {
      api: 'xs2a',
      version: '1.7.0',
      plan: 'default',
    })
    const { key } = (await owner.send('POST', `${path}/keys`, { name: 'k' })).body
    const made = await owner.send('POST', `${path}/sandbox/consents`)
    t.match([made.status, made.body.psuName], [201, 'Noa Levi'])
    const answer = await fetch(`${urls.gateway}/v1.7.0/accounts?withBalance=true`, {
      headers: {
        'x-api-key': key,
        'x-request-id': randomUUID(),
        'psu-ip-address': '192.0.2.44',
        'consent-id': made.body.consentId,
      },
    })
    t.equal(answer.status, 200)
    const { accounts } = JSON.parse(await answer.text())
    t.ok(accounts.length >= 2)
    const { customers } = (await beside.anonymous('GET', '/api/sandbox')).body
    const listed: readonly Record<string, string>[] = customers[0].accounts
    t.same(
      accounts.map((account: Record<string, string>) => account['displayName'] ?? account['name']),
      listed.map(({ name }) => name),
      'the page of the sandbox and the API name the accounts alike',
    )
    t.ok(accounts[0].balances.length > 0)
  })

  t.test('a ready consent opens the accounts of the chosen customer', async (t) => {
    const { id } = (await owner.send('POST', '/api/applications', { name: 'Chosen' })).body
    const path = `/api/applications/${id}`
    await owner.send('POST', `${path}/subscriptions`, {
      api: 'xs2a',
      version: '1.7.0',
      plan: 'default',
    })
    const { key } = (await owner.send('POST', `${path}/keys`, { name: 'k' })).body
    const { customers } = (await beside.anonymous('GET', '/api/sandbox')).body
    const refused: string[] = []
    for (const { psuId, name, corporateId, isReadyToConsent } of customers) {
      const { status, body } = await owner.send('POST', `${path}/sandbox/consents`, { psuId })
      if (status !== 201) refused.push(`${status} ${name}`)
      t.equal(status === 201, isReadyToConsent, name)
      if (status !== 201) continue
      t.equal(body.psuName, name)
      const answer = await fetch(`${urls.gateway}/v1.7.0/accounts`, {
        headers: {
          'x-api-key': key,
          'x-request-id': randomUUID(),
          'psu-ip-address': '192.0.2.44',
          'consent-id': body.consentId,
          ...(corporateId === null ? {} : { 'psu-corporate-id': corporateId }),
        },
      })
      t.equal(answer.status, 200, name)
    }
    t.ok(refused.includes('400 Avi Katz'), 'rejects everything')
    t.ok(refused.length < customers.length / 2)
    for (const psuId of ['nobody', 7, '']) {
      const { status, body } = await owner.send('POST', `${path}/sandbox/consents`, { psuId })
      t.match([status, body.code], [400, 'INPUT_INVALID'])
    }
  })

  t.test(
    'an owner sees the consents that customers approved and their first use, not the ready one',
    async (t) => {
      const { id } = (await owner.send('POST', '/api/applications', { name: 'Asks itself' })).body
      const path = `/api/applications/${id}`
      await owner.send('POST', `${path}/subscriptions`, {
        api: 'xs2a',
        version: '1.7.0',
        plan: 'default',
      })
      const { key } = (await owner.send('POST', `${path}/keys`, { name: 'k' })).body
      const ready = (await owner.send('POST', `${path}/sandbox/consents`)).body.consentId
      const read = (consentId: string) =>
        fetch(`${urls.gateway}/v1.7.0/accounts`, {
          headers: {
            'x-api-key': key,
            'x-request-id': randomUUID(),
            'psu-ip-address': '192.0.2.44',
            'consent-id': consentId,
          },
        })
      const approved = async () => (await owner.send('GET', `${path}/sandbox/consents`)).body.items
      t.same(await approved(), [])
      const { consentId } = await createConsent(key, {
        'psu-id': '305567661',
        'tpp-decoupled-preferred': 'true',
      })
      t.equal((await read(ready)).status, 200)
      await until('the consent is approved', async () => (await approved()).length > 0)
      t.match(
        await approved(),
        [{ consentId, consentStatus: 'valid', psuName: 'Noa Levi', firstUsedAt: null }],
        'a read with another consent is no use',
      )
      t.equal((await read(consentId)).status, 200)
      const [{ firstUsedAt }] = await approved()
      t.match(firstUsedAt, /Z$/)
      t.equal((await read(consentId)).status, 200)
      t.match(await approved(), [{ firstUsedAt }], 'of the first read')
      await owner.send('POST', `${path}/sandbox/consents`)
      t.match(
        await approved(),
        [{ consentId, consentStatus: 'expired' }],
        'a ready one replaced it',
      )
    },
  )

  t.test('the bank’s page names the application, and a renamed one by its new name', async (t) => {
    const { id } = (await owner.send('POST', '/api/applications', { name: 'Old name' })).body
    const path = `/api/applications/${id}`
    await owner.send('POST', `${path}/subscriptions`, {
      api: 'xs2a',
      version: '1.7.0',
      plan: 'default',
    })
    const { key } = (await owner.send('POST', `${path}/keys`, { name: 'k' })).body
    const pageOfNewConsent = async () => {
      const { _links } = await createConsent(key, { 'tpp-redirect-preferred': 'true' })
      return await (await fetch(_links.scaRedirect.href)).text()
    }
    t.match(await pageOfNewConsent(), 'Old name')
    await owner.send('PATCH', path, { name: 'New name' })
    await until('the new name is shown', async () =>
      (await pageOfNewConsent()).includes('New name'),
    )
  })

  t.test('an empty body of type JSON is no body; another type is refused', async (t) => {
    const { id } = (await owner.send('POST', '/api/applications', { name: 'Empty body' })).body
    const path = `/api/applications/${id}`
    const headers = { 'content-type': 'application/json' }
    const made = await owner.send('POST', `${path}/sandbox/consents`, undefined, headers)
    t.equal(made.status, 201)
    const refused = await owner.send('POST', `${path}/keys`, undefined, headers)
    t.match([refused.status, refused.body.code], [400, 'INPUT_INVALID'], 'where one is needed')
    const text = { 'content-type': 'text/plain' }
    const other = await owner.send('POST', `${path}/sandbox/consents`, undefined, text)
    t.match([other.status, other.body.code], [400, 'INPUT_INVALID'], 'another type')
  })

  t.test('a developer gets thirty ready consents an hour, over all applications', async (t) => {
    const { send } = await beside.signIn()
    const create = async (name: string): Promise<string> =>
      (await send('POST', '/api/applications', { name })).body.id
    const paths = [await create('One'), await create('Other')].map(
      (id) => `/api/applications/${id}/sandbox/consents`,
    )
    const answers: PortalAnswer[] = []
    for (let at = 0; at < 32; at++) answers.push(await send('POST', paths[at % 2] ?? ''))
    t.same(statuses(answers), { 201: 30, 429: 2 })
    const refused = answers.slice(30)
    for (const { body, headers } of refused) {
      t.match(body, { code: 'ATTEMPTS_EXCEEDED', detail: /last consent that you created/ })
      const wait = Number(headers['retry-after'])
      t.ok(wait > 0 && wait <= 3600, `${wait} s`)
    }
    const { id } = (await owner.send('POST', '/api/applications', { name: 'Of another' })).body
    const other = await owner.send('POST', `/api/applications/${id}/sandbox/consents`)
    t.equal(other.status, 201, 'another developer is not affected')
  })

  t.test('a suspended application gets none', async (t) => {
    const { id } = (await owner.send('POST', '/api/applications', { name: 'Suspended' })).body
    await beside.stores.applications.suspend({ id, by: 'test' })
    const refused = await owner.send('POST', `/api/applications/${id}/sandbox/consents`)
    t.match([refused.status, refused.body.rule], [409, 'application-suspended'])
  })

  t.test('the bank answers its internal routes to the portal alone', async (t) => {
    for (const authorization of [
      undefined,
      'Bearer ',
      'Bearer wrong',
      `Bearer ${'x'.repeat(43)}`,
    ]) {
      const headers = authorization === undefined ? {} : { authorization }
      for (const [method, path] of [
        ['GET', '/sandbox'],
        ['POST', '/sandbox/consents'],
        ['GET', `/sandbox/consents?applicationId=${randomUUID()}`],
      ] as const) {
        const answer = await fetch(`${urls.backend}${path}`, { method, headers })
        t.equal(answer.status, 401, `${method} ${path} ${authorization}`)
        t.equal(answer.headers.get('content-type'), 'application/problem+json')
        t.match(JSON.parse(await answer.text()), {
          status: 401,
          detail: /secret is missing or wrong/,
        })
      }
    }
  })

  t.test('the bank’s address explains its pages and leads to its people', async (t) => {
    const answer = await fetch(urls.sca)
    t.equal(answer.status, 200)
    const page = await answer.text()
    t.match(page, 'scaRedirect')
    const people = /<a href="([^"]+)">sandbox customers<\/a>/.exec(page)?.[1] ?? ''
    t.equal(people, `${urls.portal}/sandbox`)
    t.equal((await fetch(people, { headers: html })).status, 200)
  })

  t.test('the bank refuses a consent without an application with a problem document', async (t) => {
    for (const body of ['', '{', '{}', '{"applicationId":1}', '{"applicationId":"x"}']) {
      const answer = await fetch(`${urls.backend}/sandbox/consents`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body,
      })
      t.equal(answer.headers.get('content-type'), 'application/problem+json')
      t.match(JSON.parse(await answer.text()), {
        status: 400,
        code: 'FORMAT_ERROR',
        detail: 'applicationId: It must be a UUID',
      })
    }
  })

  t.test('no call through the gateway leads to them', async (t) => {
    const headers = { 'x-api-key': tollgate.key }
    for (const path of ['/sandbox', '/v1.7.0/sandbox', '/sandbox/consents']) {
      t.equal((await fetch(`${urls.gateway}${path}`, { headers })).status, 404, path)
    }
  })
})

t.test('with SANDBOX=off nothing of the sandbox is there', async (t) => {
  const env = { SANDBOX: 'off' }
  const tollgate = await runTollgate(t, { env })
  const { urls } = tollgate
  const beside = await besidePortal(t, tollgate)
  const { send } = await beside.signIn()
  const { id } = (await send('POST', '/api/applications', { name: 'Off' })).body
  for (const [method, path] of [
    ['GET', '/api/sandbox'],
    ['POST', `/api/applications/${id}/sandbox/consents`],
    ['GET', `/api/applications/${id}/sandbox/consents`],
  ] as const) {
    t.match(await send(method, path), { status: 404, body: { code: 'NOT_FOUND' } }, path)
  }
  for (const path of ['/sandbox', '/sandbox/return']) {
    t.equal((await fetch(`${urls.portal}${path}`, { headers: html })).status, 404, path)
  }
  t.equal((await beside.anonymous('GET', '/api/portal')).body.hasSandbox, false)
  t.equal((await fetch(`${urls.backend}/sandbox`)).status, 404)
  const bank = await fetch(urls.sca)
  t.equal(bank.status, 200)
  const page = (await bank.text()).replaceAll('Sandbox Bank', '')
  t.notMatch(page, /sandbox|portal|<a (?!class="language" href="\?lang=)/i)
  for (const args of [['customers'], ['reset'], ['consent', randomUUID(), 'revoke']]) {
    const { code, stderr } = await command(env, 'sandbox', ...args)
    t.equal(code, 1)
    t.match(stderr, 'no sandbox')
  }
})

t.test(
  'ready consents that the bank did not create leave the thirty an hour as they were',
  async (t) => {
    const consent = { consentId: randomUUID(), psuName: 'Noa Levi' }
    let isWell = false
    const bank = createServer((request, response) => {
      request.resume()
      response.writeHead(isWell ? 201 : 503, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isWell ? consent : {}))
    })
    bank.listen(0, '127.0.0.1')
    await once(bank, 'listening')
    t.teardown(() => bank.close())
    const { port } = bank.address() as AddressInfo
    const env = {
      SANDBOX: 'on',
      SANDBOX_SECRET: 's'.repeat(32),
      BACKEND_URL: `http://127.0.0.1:${port}`,
    }
    const beside = await besidePortal(t, await runTollgate(t, { env }))
    const { send } = await beside.signIn()
    const { id } = (await send('POST', '/api/applications', { name: 'Patient' })).body
    const ask = () => send('POST', `/api/applications/${id}/sandbox/consents`)
    const askTimes = async (times: number) => {
      const answers: PortalAnswer[] = []
      for (let at = 0; at < times; at++) answers.push(await ask())
      return statuses(answers)
    }

    t.same(await askTimes(16), { 503: 16 }, 'the bank answers errors')
    bank.close()
    t.same(await askTimes(16), { 503: 16 }, 'nothing listens')
    bank.listen(port, '127.0.0.1')
    await once(bank, 'listening')
    isWell = true
    t.same(await askTimes(31), { 201: 30, 429: 1 })
  },
)
