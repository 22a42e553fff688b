import { createHash, randomUUID } from 'node:crypto'
import { Kysely, sql } from 'kysely'
import { pino } from 'pino'
import t from 'tap'
import { createBackend } from '../../src/backend/create-backend.ts'
import { testBank } from '../support/bank.ts'
import type { IdentityClaims } from '../support/identity.ts'

const consent = {
  access: { allPsd2: 'allAccounts' },
  recurringIndicator: true,
  validUntil: '2027-05-31',
  frequencyPerDay: 4,
  combinedServiceIndicator: false,
}

t.test('calls', async (t) => {
  const bank = await testBank(t)
  const { app } = bank.backend

  t.test('nothing is served without a valid identity for this API version', async (t) => {
    const claims: IdentityClaims = {
      applicationId: randomUUID(),
      api: 'xs2a',
      version: '1.7.0',
    }
    const url = `/v1.7.0/consents/${randomUUID()}/status`
    const sign = bank.identity.identityFor
    const token = await sign(claims)
    const [head = '', body = '', signature = ''] = token.split('.')
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const cases: Record<string, string | undefined> = {
      'no identity': undefined,
      'an empty one': '',
      'no JWS': 'abc',
      'no signature': `${head}.${body}.`,
      'another signature': `${head}.${body}.${(signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)}`,
      'alg none': `${part({ alg: 'none', typ: 'gateway-identity+jwt' })}.${body}.`,
      'alg HS256': `${part({ alg: 'HS256', typ: 'gateway-identity+jwt' })}.${body}.${signature}`,
      'another body': `${head}.${part({ ...claims, sub: 'other', exp: 9e9 })}.${signature}`,
      'an unknown key': await sign(claims, { isForged: true }),
      'another typ': await sign(claims, { typ: 'JWT' }),
      'another issuer': await sign(claims, { issuer: 'somebody' }),
      'another audience': await sign(claims, { audience: 'somebody' }),
      'an expired one': await sign(claims, { issuedIn: -90, expiresIn: -30 }),
      'one of the future': await sign(claims, { issuedIn: 30 }),
      'one that lives too long': await sign(claims, { expiresIn: 3600 }),
      'another version': await sign({ ...claims, version: '1.6.0' }),
      'another api': await sign({ ...claims, api: 'mandate' }),
      'no application': await sign({ ...claims, applicationId: '' }),
    }
    for (const [name, identity] of Object.entries(cases)) {
      const headers = {
        'x-request-id': randomUUID(),
        ...(identity === undefined ? {} : { 'gateway-identity': identity }),
      }
      const response = await app.inject({ url, headers })
      t.equal(response.statusCode, 401, name)
      t.match(response.json().tppMessages[0].code, /^CERTIFICATE_(MISSING|INVALID)$/, name)
      t.equal(response.headers['x-request-id'], headers['x-request-id'])
    }
    const right = async () => {
      const headers = { 'x-request-id': randomUUID(), 'gateway-identity': token }
      const { tppMessages } = (await app.inject({ url, headers })).json()
      return tppMessages[0].code
    }
    t.equal(await right(), 'CONSENT_UNKNOWN')
    t.equal(await right(), 'CONSENT_UNKNOWN', 'a token is used again')
    bank.clock.now += 66_000
    t.equal(await right(), 'CERTIFICATE_INVALID', 'but not beyond its time')
  })

  t.test('every answer carries the X-Request-ID, a fresh one where it was unusable', async (t) => {
    const path = { consentId: randomUUID() }
    const operation = 'getConsentStatus'
    const id = randomUUID()
    const good = await bank.call({ operation, path, headers: { 'x-request-id': id } })
    t.equal(good.headers['x-request-id'], id)
    for (const sent of [undefined, 'abc', `urn:uuid:${id}`]) {
      const bad = await bank.call({ operation, path, headers: { 'x-request-id': sent } })
      t.match(bad.body.tppMessages, [{ code: 'FORMAT_ERROR', path: 'X-Request-ID' }])
      t.match(bad.headers['x-request-id'], /^[0-9a-f-]{36}$/)
      t.not(bad.headers['x-request-id'], sent)
    }
  })

  t.test('all that is wrong is listed at once', async (t) => {
    const { body } = await bank.call({
      operation: 'createConsent',
      headers: { 'x-request-id': undefined, 'psu-ip-address': 'x' },
      body: {},
    })
    const paths = body.tppMessages.map(({ path }: { path: string }) => path)
    t.strictSame(paths.sort(), ['PSU-IP-Address', 'X-Request-ID'])
    const { body: second } = await bank.call({ operation: 'createConsent', body: {} })
    t.ok(second.tppMessages.length >= 5)
  })

  t.test('of a large body made of faults only the first is listed', async (t) => {
    const { status, body } = await bank.call({
      operation: 'createConsent',
      body: { ...consent, access: { accounts: Array.from({ length: 200_000 }, () => ({})) } },
    })
    t.equal(status, 400)
    t.equal(body.tppMessages.length, 1)
  })

  t.test('errors come as problem+json when Accept prefers it', async (t) => {
    const path = { consentId: randomUUID() }
    for (const [accept, type] of [
      ['application/problem+json', 'application/problem+json'],
      ['application/problem+json, application/json;q=0.5', 'application/problem+json'],
      ['application/json, application/problem+json', 'application/json'],
      ['application/*', 'application/json'],
      ['*/*', 'application/json'],
    ] as const) {
      const answer = await bank.call({ operation: 'getConsent', path, headers: { accept } })
      t.equal(answer.status, 403)
      t.equal(answer.headers['content-type'], type, accept)
    }
    const mandate = await bank.call({
      operation: 'getMandate',
      path: { resourceId: 'x' },
      headers: { accept: 'application/problem+json' },
    })
    t.match(mandate.body, { code: 'RESOURCE_UNKNOWN', status: 404 })
    const refused = await bank.call({
      operation: 'getMandate',
      path: { resourceId: 'x' },
      headers: { accept: 'text/plain, application/json;q=0' },
    })
    t.equal(refused.status, 406)
    t.equal(refused.body.apiClientMessages[0].code, 'REQUESTED_FORMATS_INVALID')
  })

  t.test('a body must be a JSON object in UTF-8, of its type and size', async (t) => {
    const post = async (body: string, contentType = 'application/json') => {
      const headers = { 'content-type': contentType }
      const answer = await bank.call({ operation: 'createConsent', headers, body })
      return [answer.status, answer.body.tppMessages?.[0].code]
    }
    const good = JSON.stringify(consent)
    t.strictSame(await post(good, 'application/json; charset=utf-8'), [201, undefined])
    t.strictSame(await post(good, 'Application/JSON;charset="UTF-8"'), [201, undefined])
    for (const type of [
      'text/plain',
      'application/xml',
      'application/json\ta',
      'application/json;charset=utf-7',
      'application/jsonx',
      'multipart/form-data; boundary=x',
      'nonsense',
    ]) {
      t.strictSame(await post(good, type), [415, 'FORMAT_ERROR'], type)
    }
    for (const body of [
      '{',
      '[]',
      '"text"',
      'null',
      '{"a":"\\u0000"}',
      '{"a\\ud800":1}',
      '['.repeat(100_000),
      `{"a":${'['.repeat(500)}${']'.repeat(500)}}`,
      `{"a":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_001)}`.slice(0, 1_000_000),
    ]) {
      t.strictSame(await post(body), [400, 'FORMAT_ERROR'], body.slice(0, 30))
    }
    const proto = `${good.slice(0, -1)},"__proto__":{"access":null},"constructor":{}}`
    t.strictSame(await post(proto), [201, undefined])
    const large = await bank
      .call({
        operation: 'createConsent',
        body: JSON.stringify({ ...consent, padding: 'x'.repeat(1_048_577) }),
        headers: { accept: 'application/json' },
      })
      .catch((error: Error) => error.message)
    // The gateway's own 413 is the documented one; the bank's is the last line of defence.
    t.match(JSON.stringify(large), /413/)
  })

  t.test('a digest that is sent must be that of the bytes', async (t) => {
    const body = JSON.stringify(consent)
    const digest = (bytes: string, name = 'SHA-256') =>
      `${name}=${createHash(name.replace('-', '').toLowerCase()).update(bytes).digest('base64')}`
    const post = async (value: string) => {
      const headers = { digest: value }
      const answer = await bank.call({ operation: 'createConsent', headers, body })
      return [answer.status, answer.body.tppMessages?.[0].code]
    }
    t.strictSame(await post(digest(body)), [201, undefined])
    t.strictSame(await post(digest(body, 'SHA-512')), [201, undefined])
    t.strictSame(await post(digest(`${body} `)), [401, 'SIGNATURE_INVALID'])
    t.strictSame(await post(digest('').slice(0, -4)), [401, 'SIGNATURE_INVALID'])
    t.strictSame(await post('MD5=abc'), [400, 'FORMAT_ERROR'])
    t.strictSame(await post('constructor'), [400, 'FORMAT_ERROR'])
    const empty = await bank.call({
      operation: 'getConsentStatus',
      path: { consentId: randomUUID() },
      headers: { digest: 'SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' },
    })
    t.equal(empty.status, 403)
  })

  t.test('a method that a path does not have is refused with those it has', async (t) => {
    for (const [method, url, allow, list] of [
      ['HEAD', '/v1.7.0/accounts', 'GET', undefined],
      ['OPTIONS', '/v1.7.0/accounts', 'GET', 'tppMessages'],
      ['GET', '/v1.7.0/payments/masav/a/authorisations/b?x=1', 'PUT', 'tppMessages'],
      ['POST', '/v1.0.0/mandates/a', 'DELETE, GET', 'apiClientMessages'],
    ] as const) {
      const response = await app.inject({ method, url })
      t.equal(response.statusCode, 405, `${method} ${url}`)
      t.equal(response.headers.allow, allow)
      t.match(response.headers['x-request-id'], /^[0-9a-f-]{36}$/)
      if (list !== undefined) t.match(response.json()[list], [{ code: 'SERVICE_INVALID' }])
    }
  })

  t.test('other paths are no operations', async (t) => {
    for (const [method, url] of [
      ['GET', '/v1.8.0/accounts'],
      ['GET', '/v1.7.0/accounts/'],
      ['GET', '/livez'],
      ['GET', '/v1.7.0/accounts/%00'],
      ['GET', '/v1.7.0/accounts/%zz'],
    ] as const) {
      const response = await app.inject({ method, url })
      t.ok([400, 401, 404].includes(response.statusCode), `${method} ${url} ${response.statusCode}`)
      t.match(response.headers['x-request-id'], /^[0-9a-f-]{36}$/)
    }
  })

  t.test(
    'the start fails when a document has operations without a handler, and names each',
    async (t) => {
      const options = {
        database: bank.database,
        identity: bank.identity,
        log: pino({ level: 'silent' }),
        now: () => bank.clock.now,
        timeZone: 'Asia/Jerusalem',
        scaPublicUrl: 'http://sca.bank.test',
      }
      const [first] = bank.catalogue.versions.values()
      if (first === undefined) throw new Error('nothing is published')
      const operations = first.operations.map((operation, index) =>
        index < 2 ? { ...operation, id: `surplus${index}` } : operation,
      )
      const changed = new Map(bank.catalogue.versions).set('mandate@1.0.0', {
        ...first,
        operations,
      })
      await t.rejects(
        createBackend({ ...options, catalogue: { ...bank.catalogue, versions: changed } }),
        {
          message:
            /mandate@1\.0\.0 surplus0\n {2}mandate@1\.0\.0 surplus1\n.*BACKEND_URL=\S+ tollgate start gateway portal/,
        },
      )
    },
  )

  t.test('what goes wrong inside is answered 500 and stays inside', async (t) => {
    const db = bank.database.connect<unknown>()
    t.ok(db instanceof Kysely)
    await sql`alter table bank.consents rename to consents_gone`.execute(db)
    const broken = await bank.call({
      operation: 'getConsent',
      path: { consentId: randomUUID() },
    })
    await sql`alter table bank.consents_gone rename to consents`.execute(db)
    t.equal(broken.status, 500)
    t.strictSame(broken.body, {
      tppMessages: [
        {
          category: 'ERROR',
          code: 'INTERNAL_SERVER_ERROR',
          text: 'An unexpected error occurred',
        },
      ],
    })
  })
})
