import { sql } from 'kysely'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { createAuthority } from '../support/authority.ts'
import { createClient } from '../support/calling.ts'
import { metricsOf } from '../support/metrics.ts'
import { mistyped } from '../support/mistyped.ts'
import { createPortalClient, signUpAndIn, testPassword } from '../support/portal.ts'
import { besidePortal } from '../support/portal-client.ts'
import { addApp, appCode } from '../support/second-factor.ts'
import { newApplication, runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const lines: Record<string, unknown>[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
const env = {
  AUTH_FAILURES_PER_MINUTE: '5',
  GATEWAY_CLIENT_CERTIFICATES: 'optional',
  ACCESS_LOG: 'all',
}
const tollgate = await runTollgate(t, { log, env })
const { portal, gateway, management } = tollgate.urls
const beside = await besidePortal(t, tollgate)
const { stores } = beside

/** Lines of an event, in order. */
const told = (event: string) => lines.filter((line) => line['event'] === event)
const rows = (event: string) => stores.securityEvents.list({ event, limit: 100 })
const counted = async (event: string) => {
  const text = await metricsOf(management)
  const found = text.matchAll(
    new RegExp(`^gateway_security_events_total\\{event="${event}",reason="[^"]*"\\} (\\d+)$`, 'gm'),
  )
  return [...found].reduce((sum, [, count]) => sum + Number(count), 0)
}
/** Every event is in all three places. */
async function everywhere(t: Test, event: string, times: number): Promise<void> {
  t.equal(told(event).length, times, `${event} in the log`)
  t.equal(await counted(event), times, `${event} in the metrics`)
  await until(`${event} in the table`, async () => (await rows(event)).length === times)
}

t.test(
  'wrong passwords, foreign objects and posts of another site leave security events',
  async (t) => {
    const email = 'olga@bank.example'
    await signUpAndIn(tollgate, { email })
    const visitor = createPortalClient(portal)
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await visitor.post('/api/session', { email, password: 'not the password at all' })
    }
    await visitor.post('/api/session', {
      email: 'unknown@bank.example',
      password: 'guess guess guess',
    })
    const account = await stores.developers.findByEmail(email)
    t.match(told('sign-in.refused')[0], {
      level: 40,
      reason: 'credentials',
      subject: `developer:${account?.id}`,
      address: '127.0.0.0/24',
      requestId: /^[0-9a-f-]{36}$/,
    })
    t.notOk(told('sign-in.refused')[5]?.['subject'], 'there is no such account')

    const [owner, stranger] = [await beside.signIn(), await beside.signIn()]
    const { id } = (await owner.send('POST', '/api/applications', { name: 'Mine' })).body
    const { id: keyId } = (await owner.send('POST', `/api/applications/${id}/keys`, { name: 'k' }))
      .body
    const { id: other } = (await stranger.send('POST', '/api/applications', { name: 'Theirs' }))
      .body
    for (const [method, path] of [
      ['GET', `/api/applications/${id}`],
      ['DELETE', `/api/applications/${id}`],
      ['DELETE', `/api/applications/${other}/keys/${keyId}`],
    ] as const) {
      t.equal((await stranger.send(method, path)).status, 404)
    }
    t.equal((await stranger.send('GET', `/api/applications/${crypto.randomUUID()}`)).status, 404)
    const foreign = { actor: `developer:${stranger.developer.id}`, subject: `application:${id}` }
    t.match(told('object.foreign'), [foreign, foreign, foreign])

    const posted = await beside.anonymous(
      'POST',
      '/api/session',
      { email, password: 'x' },
      {
        origin: 'https://evil.example',
      },
    )
    t.equal(posted.status, 403)
    t.match(told('cross-site.refused'), [{ detail: { origin: 'https://evil.example' } }])

    t.equal((await stranger.send('GET', '/api/operator/developers')).status, 404)
    await everywhere(t, 'sign-in.refused', 6)
    await everywhere(t, 'object.foreign', 3)
    await everywhere(t, 'cross-site.refused', 1)
    await everywhere(t, 'operator.denied', 1)
    t.notMatch(
      JSON.stringify([...lines, ...(await rows('sign-in.refused'))]),
      /olga@|guess guess|not the password/,
    )
  },
)

t.test('accepted sign-ins and proofs leave security events with the factor', async (t) => {
  const email = 'proves@bank.example'
  const client = await signUpAndIn(tollgate, { email })
  const id = (await stores.developers.findByEmail(email))?.id
  const mine = (event: string) =>
    told(event).flatMap(({ actor, detail }) => (actor === `developer:${id}` ? [detail] : []))
  t.same(mine('sign-in.accepted'), [{ factor: 'none' }], 'the link of the sign-up signs in')
  await client.post('/api/session', { email, password: testPassword })
  t.same(mine('sign-in.accepted').slice(1), [{ factor: 'none' }])
  await client.post('/api/session/proof', { password: 'not the password' })
  t.same(mine('proof.accepted'), [])
  await client.post('/api/session/proof', { password: testPassword })
  const { secret } = await addApp(client.post)
  const { token } = (await client.post('/api/session/challenge')).body
  const code = appCode(secret, 1)
  const { status } = await client.post('/api/session/proof', { token, code })
  t.equal(status, 200)
  t.same(mine('proof.accepted'), [{ factor: 'none' }, { factor: 'totp' }])
})

t.test('throttled sign-ins and mails leave security events', async (t) => {
  const visitor = createPortalClient(portal)
  const email = 'throttled@bank.example'
  for (let attempt = 0; attempt < 11; attempt += 1) {
    await visitor.post('/api/session', { email, password: 'not the password at all' })
  }
  t.match(told('sign-in.throttled').at(-1), { detail: { limit: /^sign-in-/ } })
  for (let attempt = 0; attempt < 3; attempt += 1)
    await visitor.post('/api/password-resets', { email })
  await everywhere(t, 'request.throttled', 1)
  t.match(told('request.throttled'), [{ reason: 'reset', detail: { limit: 'reset-of-address' } }])
})

t.test(
  'refused keys leave events with the public part of the key, and no other part',
  async (t) => {
    const client = createClient(t, gateway, 2)
    const { send } = await beside.signIn()
    const { id } = (await send('POST', '/api/applications', { name: 'Caller' })).body
    const issued = (await send('POST', `/api/applications/${id}/keys`, { name: 'main' })).body
    const key: string = issued.key
    await send('DELETE', `/api/applications/${id}/keys/${issued.id}`)
    await until('the key is revoked', async () => (await client.call({ key })).status === 401)
    await until('it is told', () => told('key.refused').length > 0)
    const malformed = mistyped(key)
    await client.call({ key: malformed })
    await client.call({ key: 'a password in the wrong field' })
    await fetch(`${gateway}/v1.7.0/accounts?api_key=${key}`)
    await until(
      'all are logged',
      () => told('key.refused').length >= 3 && told('key.exposed').length > 0,
    )
    t.match(told('key.refused')[0], {
      reason: 'revoked',
      keyId: issued.id,
      subject: `application:${id}`,
      address: '127.0.0.0/24',
    })
    t.match(told('key.refused').at(-2), { reason: 'malformed', keyId: issued.id })
    t.match(told('key.refused').at(-1), { reason: 'malformed' })
    t.notOk(told('key.refused').at(-1)?.['keyId'])
    t.match(told('key.exposed'), [{ keyId: issued.id }])
    const elsewhere = { name: 'office', allowedAddresses: ['192.0.2.7'] }
    const office = (await send('POST', `/api/applications/${id}/keys`, elsewhere)).body
    await until(
      'the key works',
      async () => (await client.call({ key: office.key })).status === 403,
    )
    t.match(told('key.refused').at(-1), {
      reason: 'address',
      keyId: office.id,
      subject: `application:${id}`,
    })
    for (let call = 0; call < 10; call += 1) await client.call({ key: malformed })
    await everywhere(t, 'key.throttled', 1)
    t.notMatch(JSON.stringify(lines), new RegExp(`${key.slice(16)}|wrong field`))
  },
)

t.test('a key without the certificate of its application leaves an event', async (t) => {
  const client = createClient(t, gateway, 1)
  const { applicationId, key } = await newApplication(stores, 'Bound')
  await stores.certificates.add({
    applicationId,
    use: 'tls',
    name: 'one',
    by: 'test',
    certificate: Buffer.from(createAuthority(t).issue().pem),
  })
  await until('the gateway knows', async () => (await client.call({ key })).status === 401)
  await until('it is told', () => told('certificate.refused').length > 0)
  t.match(told('certificate.refused'), [
    {
      reason: 'missing',
      keyId: key.slice(3, 15),
      subject: `application:${applicationId}`,
      address: '127.0.0.0/24',
    },
  ])
})

t.test('a call line names the key and the network of the client', async (t) => {
  const client = createClient(t, gateway, 1)
  const { key } = tollgate
  await client.call({ key })
  const keyId = key.slice(3, 15)
  await until('the call is logged', () => lines.some((line) => line['keyId'] === keyId))
  t.match(
    lines.find((line) => line['keyId'] === keyId),
    { msg: 'call', address: '127.0.0.0/24' },
  )
})

t.test('what operators read and change, and every other change, is in the stream', async (t) => {
  const { developer, send } = await beside.signIn({ isOperator: true })
  const [staff] = (await stores.staff.list()).filter(
    ({ developerId }) => developerId === developer.id,
  )
  const actor = `staff:${staff?.id}`
  const other = await beside.signIn()
  await send('GET', '/api/operator/developers?search=secret-search')
  await send('GET', `/api/operator/developers/${other.developer.id}`)
  await send('POST', `/api/operator/developers/${other.developer.id}/suspend`)
  await everywhere(t, 'operator.read', 2)
  t.match(told('operator.read'), [
    { actor, detail: { route: '/api/operator/developers' } },
    { actor, subject: `developer:${other.developer.id}` },
  ])
  t.notMatch(JSON.stringify(lines), /secret-search/)

  const mine = () => told('operator.change').filter((line) => line['actor'] === actor)
  await until('the change is sealed and told', () => mine().length > 0)
  t.match(mine(), [
    {
      subject: `developer:${other.developer.id}`,
      address: '127.0.0.0/24',
      requestId: /^[0-9a-f-]{36}$/,
      detail: { action: 'developer.suspend', position: /^\d+$/, hash: /^[0-9a-f]{64}$/ },
    },
  ])
  const audit = await stores.audit.list({ actor, limit: 1 })
  t.match(audit, [{ action: 'developer.suspend', address: '127.0.0.0/24' }])
  const { end, faults } = await stores.auditChain.verify()
  t.same(faults, [])
  await until('the position has left the database as a metric', async () => {
    const text = await metricsOf(management)
    return text.includes(`\ngateway_audit_position ${end.position}\n`)
  })
})

t.test('operators read events by kind, party, key and time, page by page', async (t) => {
  const { send } = await beside.signIn({ isOperator: true })
  const owner = await beside.signIn()
  const { id } = (await owner.send('POST', '/api/applications', { name: 'Watched' })).body
  const day = (of: number, hour = 0) => new Date(Date.UTC(2020, 0, of, hour)).toISOString()
  const at = (instant: string) => ({
    at: new Date(instant),
    event: 'key.refused',
    reason: 'revoked',
    actor: null,
    subject: `application:${id}`,
    keyId: 'watchedkey01',
    address: '192.0.2.0/24',
    agent: 'curl/8',
    requestId: null,
    detail: {},
  })
  const other = { keyId: null, subject: null, actor: `developer:${owner.developer.id}` }
  await stores.securityEvents.write([
    ...[1, 2, 3, 4, 5].map((of) => at(day(of))),
    { ...at(day(3, 1)), ...other, event: 'object.foreign', reason: null },
  ])
  const read = async (query: Readonly<Record<string, string>>) => {
    const path = `/api/operator/security-events?${new URLSearchParams(query)}`
    const { status, body } = await send('GET', path)
    t.equal(status, 200)
    return body
  }
  const times = async (query: Readonly<Record<string, string>>) =>
    (await read(query)).items.map((item: { at: string }) => item.at)

  const party = `application:${id}`
  const newestFirst = [5, 4, 3, 2, 1].map((of) => day(of))
  t.same(await times({ party }), newestFirst)
  t.same(await times({ keyId: 'watchedkey01' }), newestFirst)
  t.same(await times({ party, from: day(2), until: day(4) }), [day(3), day(2)], 'from, and before')
  t.same(await times({ party: other.actor }), [day(3, 1)], 'as actor')
  t.same(await times({ event: 'object.foreign', until: day(9) }), [day(3, 1)])
  t.same(await times({ party, event: 'object.foreign' }), [])
  t.match((await read({ party, limit: '1' })).items, [
    {
      event: 'key.refused',
      reason: 'revoked',
      actor: null,
      subject: party,
      keyId: 'watchedkey01',
      address: '192.0.2.0/24',
      agent: 'curl/8',
      detail: {},
    },
  ])

  t.same(await times({ party: other.actor, without: 'object.foreign' }), [], 'one is left out')
  t.match((await read({ party: other.actor, event: 'object.foreign' })).items, [
    { actorName: owner.developer.name, subjectName: null },
  ])

  const seen: string[] = []
  let after: string | undefined
  do {
    const page = await read({ party, limit: '2', ...(after === undefined ? {} : { after }) })
    seen.push(...page.items.map((item: { at: string }) => item.at))
    after = page.next
  } while (after !== undefined)
  t.same(seen, newestFirst)

  for (const from of ['yesterday', '2016-12-31T23:59:60Z']) {
    const wrong = await send('GET', `/api/operator/security-events?from=${from}`)
    t.match(wrong, { status: 400, body: { errors: [{ path: '/from' }] } }, from)
  }
  const reads = () => told('operator.read').filter(({ detail }) => isOfEvents(detail))
  t.ok(reads().length >= 9, 'each read is an event itself')
  t.notMatch(JSON.stringify(reads()), /watchedkey01|2020-01/, 'without what was looked for')
})

const isOfEvents = (detail: unknown) => Object(detail).route === '/api/operator/security-events'

t.test('an operator who deletes the account still has a name in the audit', async (t) => {
  const email = 'leaves@bank.example'
  const client = await signUpAndIn(tollgate, { email })
  const account = await stores.developers.findByEmail(email)
  const id = account?.id ?? ''
  const { secret } = await addApp(client.post)
  await stores.operators.add({ id, staffId: 'E-4711', by: 'operator:root' })
  t.match(await stores.audit.list({ subject: `developer:${id}`, limit: 1 }), [
    { action: 'operator.add', detail: { staffId: 'E-4711' } },
  ])
  const { body } = await client.post('/api/session', { email, password: testPassword })
  await client.post('/api/session/factor', { token: body.token, code: appCode(secret) })
  await client.put('/api/operator/sign-up', { mode: 'approval' })
  await client.put('/api/operator/sign-up', { mode: 'open' })
  await client.get('/api/operator/audit')
  for (const party of [`developer:${id}`, 'staff:E-4711']) {
    const both = ['operator.read', 'sign-in.accepted']
    await until(`${party} finds what the operator did before and after the sign-in`, async () => {
      const found = await stores.securityEvents.list({ parties: [party], limit: 10 })
      return both.every((name) => found.some(({ event }) => event === name))
    })
  }
  await stores.developers.delete({ id, by: `developer:${id}` })
  t.match(await stores.audit.list({ actor: 'staff:E-4711', limit: 1 }), [
    { action: 'sign-up.switch' },
  ])
  t.match(
    (await stores.staff.list()).filter((member) => member.id === 'E-4711'),
    [{ developerId: id, email, isOperator: false, isGone: true }],
  )
  const next = await beside.signIn()
  await t.rejects(
    stores.operators.add({ id: next.developer.id, staffId: 'E-4711', by: 'x' }),
    /belongs to another person/,
  )
  await t.rejects(
    stores.operators.add({ id: next.developer.id, staffId: 'a b', by: 'x' }),
    /staffId must be/,
  )
})

t.test('an audit that was changed behind the back of a running process is reported', async (t) => {
  // A link after the changed one would hide it from a process that looks at the end only.
  await until('no entry waits for its link', async () => {
    const { rows } = await sql`select from audit_waiting limit 1`.execute(beside.db)
    return rows.length === 0
  })
  await sql`update audit_links set hash = decode(repeat('ab', 32), 'hex')
    where position = (select max(position) from audit_links)`.execute(beside.db)
  await beside.signIn()
  await until('the event', () => told('audit.broken').length === 1)
  t.match(told('audit.broken'), [{ level: 50, detail: { what: /has another hash/ } }])
})
