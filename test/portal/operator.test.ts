import t from 'tap'
import { writeUsage } from '../../src/gateway/operate/usage/usage-writer.ts'
import { createClient } from '../support/calling.ts'
import { tollgate as command } from '../support/cli.ts'
import { awaitMail, readMails } from '../support/mails.ts'
import { besidePortal, type Send } from '../support/portal-client.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'
import { usageCounts } from '../support/usage-counts.ts'

const tollgate = await runTollgate(t)
const beside = await besidePortal(t, tollgate)
const gateway = createClient(t, tollgate.urls.gateway, 4)
const operator = await beside.signIn({ isOperator: true })
const { send } = operator
const staff = await beside.stores.staff.list()
const staffId = staff.find(({ developerId }) => developerId === operator.developer.id)?.id
const actor = `staff:${staffId}`
const root = '/api/operator'
const unknown = '00000000-0000-4000-8000-000000000000'
const hour = 3_600_000

/** A developer with an application that calls. */
async function newCaller() {
  const owner = await beside.signIn()
  const created = await owner.send('POST', '/api/applications', { name: 'Caller' })
  const path = `/api/applications/${created.body.id}`
  const subscription = { api: 'xs2a', version: '1.7.0', plan: 'default' }
  await owner.send('POST', `${path}/subscriptions`, subscription)
  const issued = await owner.send('POST', `${path}/keys`, { name: 'main' })
  const key: string = issued.body.key
  const call = () => gateway.call({ key })
  await call()
  return { ...owner, applicationId: String(created.body.id), path, call }
}

/** Repeats a call until its answer is as wanted. */
const soon = <Answer>(
  what: string,
  ask: () => Promise<Answer>,
  isWanted: (answer: Answer) => boolean,
) => until(what, async () => isWanted(await ask()))

const overrideInput = (changes: object = {}) => ({
  api: 'xs2a',
  version: '1.7.0',
  limit: 'default',
  calls: 7,
  reason: 'moves <b>all</b> accounts at once',
  expiresAt: new Date(Date.now() + hour).toISOString(),
  ...changes,
})

t.test('the operator’s API is unknown to all but operators', async (t) => {
  const caller = await newCaller()
  const { applicationId } = caller
  const document = await beside.anonymous('GET', '/api/openapi.json')
  const routes: [string, string][] = []
  for (const [path, methods] of Object.entries<object>(document.body.paths)) {
    if (!path.startsWith(root)) continue
    for (const method of Object.keys(methods)) routes.push([method.toUpperCase(), path])
  }
  t.equal(routes.length, 31, routes.join())
  const strip = ({ status, body }: Awaited<ReturnType<Send>>) => [status, { ...body, instance: '' }]
  const nothing = strip(await caller.send('GET', '/api/nothing'))
  t.match(nothing, [404, { code: 'NOT_FOUND' }])
  for (const [method, template] of routes) {
    const id = template.includes('/developers') ? caller.developer.id : applicationId
    const path = template.replace('{id}', id).replace('{overrideId}', unknown)
    const body = template.endsWith('/overrides')
      ? overrideInput()
      : template.endsWith('/sign-up')
        ? { mode: 'off' }
        : undefined
    const sent = method === 'POST' || method === 'PUT' ? body : undefined
    t.same(strip(await caller.send(method, path, sent)), nothing, `${method} ${path}`)
    t.equal((await beside.anonymous(method, path, sent)).status, 401, `${method} ${path}`)
  }
  t.equal(await beside.stores.portalState.signUpMode(), 'open')
  t.same(await beside.stores.overrides.list({ applicationId }), [])
  t.equal((await beside.stores.applications.find(applicationId))?.suspendedAt, null)

  const former = await beside.signIn({ isOperator: true })
  await beside.stores.operators.remove({ id: former.developer.id, by: 'test' })
  t.equal((await former.send('GET', `${root}/sign-up`)).status, 404, 'from the next request on')
})

t.test(
  'an operator opens any call by its id, and each look is recorded with the application',
  async (t) => {
    const { applicationId, call, developer, send: owner } = await newCaller()
    const { requestId } = await call()
    await soon(
      'the call is recorded',
      () => send('GET', `${root}/calls/${requestId.toUpperCase()}`),
      ({ body }) => body.items.length === 1,
    )
    const places = await send('GET', `${root}/calls/${requestId}`)
    t.match(places.body.items, [{ id: applicationId, developerEmail: developer.email }])
    const records = await send('GET', `${root}/applications/${applicationId}/calls/${requestId}`)
    t.match(records.body.items, [{ requestId, api: 'xs2a', reason: /^Allowed as call 2 of / }])
    t.same(
      records.body,
      (await owner('GET', `/api/applications/${applicationId}/calls/${requestId}`)).body,
      'as its developer sees it',
    )
    const looks = async () => {
      const events = await beside.stores.securityEvents.list({ event: 'operator.read', limit: 100 })
      return events.filter(({ subject }) => subject === `application:${applicationId}`)
    }
    await until('the look is recorded', async () => (await looks()).length > 0)
    t.match(await looks(), [
      { actor, detail: { route: `${root}/applications/:id/calls/:requestId` } },
    ])

    for (const id of [unknown, 'no-uuid']) {
      t.same((await send('GET', `${root}/calls/${id}`)).body, { items: [] }, id)
    }
    t.equal((await send('GET', `${root}/applications/${unknown}/calls/${requestId}`)).status, 404)
  },
)

t.test('an operator finds an application by a key or its first letters', async (t) => {
  const { applicationId, path, send: owner } = await newCaller()
  const [key] = (await owner('GET', `${path}/keys`)).body.items
  const found = async (search: string): Promise<string[]> => {
    const { body } = await send('GET', `${root}/applications?${new URLSearchParams({ search })}`)
    return body.items.map(({ id }: { id: string }) => id)
  }
  t.same(await found(key.hint), [applicationId])
  t.same(await found(key.hint.slice(0, 8)), [applicationId])
  t.notOk((await found('tg_')).includes(applicationId), 'too few letters')
  t.notOk((await found('tg_%%%%')).includes(applicationId), 'no pattern')
})

t.test('what waits for an operator is counted, and that is no read of developers', async (t) => {
  const before = await send('GET', `${root}/waiting`)
  const { path, send: owner } = await newCaller()
  const more = {
    api: 'xs2a',
    version: '1.7.0',
    limit: 'default',
    calls: 2_000_000,
    reason: 'a test',
  }
  t.equal((await owner('POST', `${path}/limit-requests`, more)).status, 201)
  const waiting = await send('GET', `${root}/waiting`)
  t.same(waiting.body, { ...before.body, limitRequests: before.body.limitRequests + 1 })
  await owner('DELETE', path)
  // Events are kept in order.
  await send('GET', `${root}/sign-up`)
  const routes = async (): Promise<unknown[]> => {
    const events = await beside.stores.securityEvents.list({ event: 'operator.read', limit: 100 })
    return events.map(({ detail }) => detail['route'])
  }
  await until('a later read is recorded', async () => (await routes()).includes(`${root}/sign-up`))
  t.notOk((await routes()).includes(`${root}/waiting`))
})

t.test('an application suspended here is refused by the gateway', async (t) => {
  const { applicationId, call, path, send: owner } = await newCaller()
  t.not((await call()).status, 403)
  const suspended = await send('POST', `${root}/applications/${applicationId}/suspend`)
  t.equal(suspended.status, 200)
  t.type(suspended.body.suspendedAt, 'string')
  await soon('the application is refused', call, ({ status }) => status === 403)
  t.equal((await owner('GET', path)).body.suspendedAt, suspended.body.suspendedAt)
  const again = await send('POST', `${root}/applications/${applicationId}/suspend`)
  t.equal(again.body.suspendedAt, suspended.body.suspendedAt)
  await send('POST', `${root}/applications/${applicationId}/resume`)
  await soon('the application is allowed', call, ({ status }) => status !== 403)
  const subject = `application:${applicationId}`
  const audit = await send('GET', `${root}/audit?subject=${subject}&limit=2`)
  t.match(audit.body.items, [
    { action: 'application.resume', actor, subject },
    { action: 'application.suspend', actor, subject },
  ])
})

t.test(
  'a suspended developer’s applications are refused and sessions end; operators cannot suspend themselves',
  async (t) => {
    const { developer, call, send: owner } = await newCaller()
    const suspended = await send('POST', `${root}/developers/${developer.id}/suspend`)
    t.match(suspended, { status: 200, body: { id: developer.id, email: developer.email } })
    t.equal((await owner('GET', '/api/applications')).status, 401)
    await soon('the application is refused', call, ({ status }) => status === 403)
    const resumed = await send('POST', `${root}/developers/${developer.id}/resume`)
    t.equal(resumed.body.suspendedAt, null)
    await soon('the application is allowed', call, ({ status }) => status !== 403)
    t.equal((await owner('GET', '/api/applications')).status, 401, 'the old session stays ended')

    const own = await send('POST', `${root}/developers/${operator.developer.id}/suspend`)
    t.match(own, { status: 409, body: { code: 'CONFLICT', rule: 'own-account' } })
    t.equal((await send('GET', `${root}/sign-up`)).status, 200)
  },
)

t.test('an override changes the limit at the gateway, until its moment or its end', async (t) => {
  const { applicationId, call, path, send: owner } = await newCaller()
  const limitOf = async () => Number((await call()).headers['x-ratelimit-limit'])
  const planCalls = 1_000_000
  t.equal(await limitOf(), planCalls)
  const overrides = `${root}/applications/${applicationId}/overrides`
  const made = await send('POST', overrides, overrideInput({ calls: 50 }))
  t.match(made, {
    status: 201,
    body: {
      ...overrideInput(),
      calls: 50,
      expiresAt: String,
      createdBy: actor,
      createdByName: String,
    },
  })
  await soon('the limit is 50', limitOf, (limit) => limit === 50)
  t.same((await send('GET', overrides)).body, { items: [made.body] })
  t.same((await send('GET', `${root}/applications/${applicationId}`)).body.overrides, [made.body])
  const usage = await owner('GET', `${path}/usage`)
  const used = usage.body.items.find(
    ({ operation }: { operation: string }) => operation === 'listAccounts',
  )
  t.match(used, { limit: 50, overrideUntil: made.body.expiresAt }, 'the owner sees the same number')
  const twice = await send('POST', overrides, overrideInput())
  t.match(twice, { status: 409, body: { rule: 'override-active' } })

  t.equal((await send('DELETE', `${overrides}/${made.body.id}`)).status, 204)
  await soon(`the limit is ${planCalls}`, limitOf, (limit) => limit === planCalls)
  t.equal((await send('DELETE', `${overrides}/${made.body.id}`)).status, 204, 'idempotent')

  const second = await send('POST', overrides, overrideInput({ calls: 60 }))
  await soon('the limit is 60', limitOf, (limit) => limit === 60)
  // Time passes, and something else makes the gateway look again.
  await beside.db
    .updateTable('limit_overrides')
    .set({ expires_at: new Date(Date.now() - 1) })
    .where('id', '=', second.body.id)
    .execute()
  await owner('PATCH', path, { name: 'Renamed' })
  await soon(`the limit is ${planCalls}`, limitOf, (limit) => limit === planCalls)
  t.same((await send('GET', overrides)).body, { items: [] })
  t.equal((await send('POST', overrides, overrideInput())).status, 201, 'it gave way')

  const audit = await send('GET', `${root}/audit?subject=application:${applicationId}&limit=4`)
  const { reason } = overrideInput()
  t.match(audit.body.items, [
    { action: 'override.create', actor, detail: { reason, calls: '7' } },
    { action: 'application.update' },
    { action: 'override.create' },
    { action: 'override.end', actor, detail: { override: made.body.id, reason } },
  ])
})

t.test('an operator changes no limit of their own application', async (t) => {
  const { id } = (await send('POST', '/api/applications', { name: 'Own' })).body
  const overrides = `${root}/applications/${id}/overrides`
  const refused = await send('POST', overrides, overrideInput())
  t.match(refused, { status: 409, body: { code: 'CONFLICT', rule: 'own-application' } })
  const other = await beside.signIn({ isOperator: true })
  const made = await other.send('POST', overrides, overrideInput())
  t.equal(made.status, 201, 'another operator may')
  const ended = await send('DELETE', `${overrides}/${made.body.id}`)
  t.match(ended, { status: 409, body: { rule: 'own-application' } })
  t.equal((await beside.stores.overrides.list({ applicationId: id })).length, 1)
  const verbs = [
    ['suspend', 200],
    ['resume', 409],
  ] as const
  for (const [verb, status] of verbs) {
    t.equal((await send('POST', `${root}/applications/${id}/${verb}`)).status, status, verb)
  }
  t.type((await beside.stores.applications.find(id))?.suspendedAt, Date)
})

t.test('what no override can be is refused by field', async (t) => {
  const { applicationId } = await newCaller()
  const overrides = `${root}/applications/${applicationId}/overrides`
  for (const [path, changes] of [
    ['/api', { api: 'other' }],
    ['/version', { version: '9.9.9' }],
    ['/limit', { limit: 'other' }],
    ['/calls', { calls: 0 }],
    ['/calls', { calls: '7' }],
    ['/reason', { reason: ' ' }],
    ['/reason', { reason: 'a\r\nb' }],
    ['/reason', { reason: 'a\u202ec' }],
    ['/reason', { reason: 'a\u200dc' }],
    ['/expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['/expiresAt', { expiresAt: '2030-12-31T23:59:60Z' }],
    ['/expiresAt', { expiresAt: '9999-12-31T23:59:59-12:00' }],
    ['/expiresAt', { expiresAt: 'tomorrow' }],
    ['/applicationId', { applicationId: unknown }],
    ['/createdBy', { createdBy: 'system' }],
  ] as const) {
    const refused = await send('POST', overrides, overrideInput(changes))
    t.match(refused, { status: 400, body: { code: 'INPUT_INVALID', errors: [{ path }] } }, path)
  }
  for (const id of [unknown, 'x', '%00', operator.developer.id]) {
    const missing = await send('POST', `${root}/applications/${id}/overrides`, overrideInput())
    t.equal(missing.status, 404, id)
    t.equal((await send('GET', `${root}/applications/${id}/overrides`)).status, 404, id)
    t.equal((await send('GET', `${root}/applications/${id}`)).status, 404, id)
    t.equal((await send('DELETE', `${overrides}/${id}`)).status, 404, id)
    if (id !== operator.developer.id) {
      t.equal((await send('GET', `${root}/developers/${id}`)).status, 404, id)
      t.equal((await send('POST', `${root}/developers/${id}/approve`)).status, 404, id)
    }
  }
})

t.test('a waiting developer is approved once, with one mail', async (t) => {
  const { developer } = await beside.signIn()
  const pending = beside.db
    .updateTable('developers')
    .set({ approved_at: null })
    .where('id', '=', developer.id)
  await pending.execute()
  t.equal((await send('GET', `${root}/developers/${developer.id}`)).body.approvedAt, null)
  const [first] = await Promise.all(
    [0, 1, 2].map(() => send('POST', `${root}/developers/${developer.id}/approve`)),
  )
  t.type(first?.body.approvedAt, 'string')
  await awaitMail(tollgate.dataDir, { kind: 'approved', to: developer.email })
  const mails = await readMails(tollgate.dataDir)
  t.equal(mails.filter(({ kind }) => kind === 'approved').length, 1)
  const audit = await send('GET', `${root}/audit?subject=developer:${developer.id}`)
  t.same(
    audit.body.items.map(({ action }: { action: string }) => action),
    ['developer.approve', 'developer.create'],
  )
})

t.test(
  'developers and applications are found by parts of names and addresses, taken literally',
  async (t) => {
    const { stores } = beside
    const made = []
    for (const [email, name] of [
      ['percent%under_score@find.example', 'Noa 100% <script>'],
      ['percentXunderXscore@find.example', 'back\\slash'],
      ['third@find.example', "O'Hara; drop table developers"],
    ] as const) {
      const developer = await stores.developers.create({ email, name, by: 'test' })
      await stores.applications.create({
        developerId: developer.id,
        name: `${name} app`,
        by: 'test',
      })
      made.push(developer)
    }
    const find = async (what: string, search: string) => {
      const { status, body } = await send(
        'GET',
        `${root}/${what}?search=${encodeURIComponent(search)}`,
      )
      if (status !== 200) throw new Error(`${search}: ${status}`)
      return body.items
    }
    for (const [search, count] of [
      ['FIND.example', 3],
      ['t%u', 1],
      ['under_score', 1],
      ['100% <SCRIPT', 1],
      ['back\\', 1],
      ["o'hara;", 1],
      ['\\', 1],
      ['nobody', 0],
      [made[2]?.id ?? '', 1],
    ] as const) {
      t.equal((await find('developers', search)).length, count, search)
      if (search !== made[2]?.id)
        t.equal((await find('applications', search)).length, count, search)
    }
    t.match(await find('developers', 'third@find'), [
      { email: 'third@find.example', applications: 1, isOperator: false, suspendedAt: null },
    ])
    t.match(await find('applications', 'third@find'), [
      { name: "O'Hara; drop table developers app", developerEmail: 'third@find.example' },
    ])

    for (const what of ['developers', 'applications']) {
      const ids: string[] = []
      for (let after = ''; ; ) {
        const { body } = await send('GET', `${root}/${what}?search=find.example&limit=2${after}`)
        ids.push(...body.items.map(({ id }: { id: string }) => id))
        if (body.next === undefined) break
        t.equal(body.items.length, 2)
        after = `&after=${body.next}`
      }
      t.equal(ids.length, 3)
      t.equal(new Set(ids).size, 3)
    }
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=x',
      'after=x',
      'page=2',
      'limit=1&limit=2',
    ]) {
      t.equal((await send('GET', `${root}/developers?${query}`)).status, 400, query)
    }
  },
)

t.test('refused calls are summed by application, the last day by the minute', async (t) => {
  const [few, many, old, none] = await Promise.all([0, 1, 2, 3].map(() => newCaller()))
  const minute = Math.floor(Date.now() / 60_000)
  await writeUsage(
    beside.db,
    (
      [
        [few, 60, 1],
        [many, 120, 4_000_000_000],
        [many, 178, 3],
        [many, 182, 7],
        [many, 20 * 60, 5],
        [none, 60, 0],
        [old, 30 * 60, 1000],
        [old, 100 * 60, 50],
      ] as const
    ).map(([caller, minutesAgo, refused]) =>
      usageCounts({
        applicationId: caller?.applicationId ?? '',
        minute: minute - minutesAgo,
        operation: 'made-up',
        admitted: 10,
        refused,
        refusedByLimit: refused,
        errors: 1,
        durationMsSum: 1,
        durationMsMax: 1,
      }),
    ),
  )
  const mine = async (query: string) => {
    const { body } = await send('GET', `${root}/refusals${query}`)
    const own = new Set([few, many, old, none].map((caller) => caller?.applicationId))
    return body.items.filter((item: { applicationId: string }) => own.has(item.applicationId))
  }
  const shown = (caller: typeof few, refused: number) => ({
    applicationId: caller?.applicationId,
    applicationName: 'Caller',
    developerEmail: caller?.developer.email,
    refused,
  })
  t.match(await mine(''), [shown(many, 4_000_000_015), shown(few, 1)])
  t.match(await mine('?hours=3'), [shown(many, 4_000_000_003), shown(few, 1)])
  t.match(await mine('?hours=48'), [shown(many, 4_000_000_015), shown(old, 1000), shown(few, 1)])
  t.match(await mine('?hours=720'), [{}, shown(old, 1050), {}])
  for (const hours of ['0', '721', '999', '-1', '1.5', 'x']) {
    t.equal((await send('GET', `${root}/refusals?hours=${hours}`)).status, 400, hours)
  }
})

t.test('an operator sees who calls most, who will soon be refused, and reports it', async (t) => {
  const [busy, calm] = await Promise.all([newCaller(), newCaller()])
  const minute = Math.floor(Date.now() / 60_000)
  const row = (applicationId: string, minutesAgo: number, admitted: number) =>
    usageCounts({
      applicationId,
      minute: minute - minutesAgo,
      operation: 'made-up',
      refused: 2,
      refusedByLimit: 1,
      admitted,
      errors: 1,
      durationMsSum: admitted * 5,
      durationMsMax: 9,
    })
  await writeUsage(beside.db, [
    row(busy.applicationId, 0, 6_000_000_000),
    row(busy.applicationId, 120, 1),
    row(calm.applicationId, 120, 9_000_000_000),
  ])
  await send('POST', `${root}/applications/${busy.applicationId}/overrides`, overrideInput())
  for (let call = 0; call < 5; call += 1) await busy.call()
  const read = async () => (await send('GET', `${root}/top-applications`)).body
  const isBusy = (one: { applicationId: string }) => one.applicationId === busy.applicationId
  await soon('the limit is used up', read, ({ usedUp }) => usedUp.some(isBusy))
  const { hour, day, usedUp } = await read()
  const [email, applicationName] = [busy.developer.email, 'Caller']
  t.match(hour[0], { applicationId: busy.applicationId, applicationName, developerEmail: email })
  t.notOk(
    hour.some((one: { admitted: number }) => one.admitted >= 9_000_000_000),
    'not in this hour',
  )
  t.match(day.map((one: { applicationId: string }) => one.applicationId).slice(0, 2), [
    calm.applicationId,
    busy.applicationId,
  ])
  t.match(usedUp.find(isBusy), {
    applicationName,
    api: 'xs2a',
    version: '1.7.0',
    limitName: 'default',
    limit: 7,
    used: 6,
    resetsAt: /^2/,
  })

  const today = (ago = 0) => new Date(minute * 60_000 - ago * 86_400_000).toISOString().slice(0, 10)
  const env = tollgate.commandEnv
  const range = ['--from', today(1), '--to', today()]
  const report = (...args: string[]) => command(env, 'report', 'usage', ...range, ...args)
  const byApplication = JSON.parse((await report('--json')).stdout)
  t.match(byApplication.items[0], {
    applicationId: calm.applicationId,
    applicationName,
    averageMs: 5,
    refusedByLimit: 1,
  })
  const { stdout: csv } = await report('--csv', '--by', 'operation')
  t.match(csv, /^api,version,operation,allowed,refused,refusedByLimit,errors,averageMs\r\n/)
  t.match(csv, /^xs2a,1\.7\.0,made-up,15\d{9},/m)
  t.match((await report('--by', 'version')).stdout, /xs2a +│ 1\.7\.0 +│ 15\d{9}/)
  t.match((await report('--by', 'day')).stdout, new RegExp(`${today()} +│`))
  t.match(await report('--by', 'month'), {
    code: 2,
    stderr: /application, operation, version, day/,
  })
})

t.test('the sign-up mode is changed here, visible to all and audited', async (t) => {
  const { anonymous } = beside
  t.same((await send('GET', `${root}/sign-up`)).body, { mode: 'open' })
  for (const mode of ['approval', 'off', 'open']) {
    t.same((await send('PUT', `${root}/sign-up`, { mode })).body, { mode })
    t.equal((await anonymous('GET', '/api/portal')).body.signUp, mode)
  }
  for (const body of [{ mode: 'closed' }, {}, { mode: 'off', by: 'me' }]) {
    t.equal((await send('PUT', `${root}/sign-up`, body)).status, 400)
  }
  const { body } = await send('GET', `${root}/audit?subject=portal:all&actor=${actor}&limit=1`)
  t.match(body.items, [{ action: 'sign-up.switch', detail: { before: 'off', mode: 'open' } }])
  t.type(body.next, 'string')
})

t.test('the audit log goes back in time, by actor and subject', async (t) => {
  const seen: number[] = []
  for (let after = ''; ; ) {
    const { body } = await send('GET', `${root}/audit?actor=${actor}&limit=5${after}`)
    for (const entry of body.items) {
      t.equal(entry.actor, actor)
      seen.push(entry.id)
    }
    if (body.next === undefined) break
    after = `&after=${body.next}`
  }
  t.ok(seen.length > 10, `${seen.length} entries`)
  t.same(
    seen,
    [...new Set(seen)].sort((a, b) => b - a),
  )
  t.same((await send('GET', `${root}/audit?actor=${actor.slice(0, -1)}`)).body, { items: [] })
  t.same((await send('GET', `${root}/audit?actor=%25`)).body, { items: [] })
  for (const query of ['after=x', 'after=-1', 'limit=0', 'order=asc']) {
    t.equal((await send('GET', `${root}/audit?${query}`)).status, 400, query)
  }
})

t.test('the audit log names people and things as they are called now', async (t) => {
  const caller = await newCaller()
  const { applicationId } = caller
  const { items: keys } = (await caller.send('GET', `${caller.path}/keys`)).body
  await send('POST', `${root}/applications/${applicationId}/suspend`)
  await send('POST', `${root}/applications/${applicationId}/resume`)
  const about = async (subject: string) =>
    (await send('GET', `${root}/audit?subject=${subject}&limit=1`)).body.items
  t.match(await about(`application:${applicationId}`), [
    { action: 'application.resume', actorName: operator.developer.name, subjectName: 'Caller' },
  ])
  t.match(await about(`key:${keys[0].id}`), [
    { actorName: caller.developer.name, subjectName: 'main', applicationName: 'Caller' },
  ])

  const file = await send('GET', `${root}/audit.csv?subject=application:${applicationId}`)
  t.match(file.headers, { 'content-type': 'text/csv; charset=utf-8' })
  const [head, ...lines] = file.text.trim().split('\r\n')
  t.match(head, /^id,at,actor,actorName,action,subject,/)
  t.equal(lines.length, 3)
  t.match(lines[0], 'application.resume')

  // Where a semicolon separates cells, what follows it begins one.
  const name = 'x;=HYPERLINK(A1)'
  const made = await caller.send('POST', '/api/applications', { name })
  const hostile = await send('GET', `${root}/audit.csv?subject=application:${made.body.id}`)
  t.match(hostile.text, `"x;'=HYPERLINK(A1)"`)
  t.notMatch(hostile.text, /[;,\r\n\t][\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/)

  await caller.send('DELETE', caller.path)
  t.match(await about(`key:${keys[0].id}`), [{ subjectName: null, applicationName: null }])
})

t.test('figures say what is going on, who calls which version, and what plans give', async (t) => {
  const before = (await send('GET', `${root}/overview`)).body
  t.equal(before.hours.length, 24)
  const caller = await newCaller()
  await writeUsage(beside.db, [
    usageCounts({
      applicationId: caller.applicationId,
      minute: Math.floor(Date.now() / 60_000),
      version: '1.6.0',
      operation: 'made-up',
      admitted: 5,
      refused: 2,
      refusedByLimit: 2,
      errors: 1,
      durationMsSum: 1,
      durationMsMax: 1,
    }),
  ])
  const { hours, counts } = (await send('GET', `${root}/overview`)).body
  const sum = (list: { admitted: number }[]) =>
    list.reduce((all, { admitted }) => all + admitted, 0)
  t.ok(sum(hours) >= sum(before.hours) + 5)
  t.equal(counts.applications, before.counts.applications + 1)
  t.equal(counts.newDevelopers, before.counts.newDevelopers + 1)

  const versions = (await send('GET', `${root}/versions`)).body.items
  const old = versions.find(({ version }: { version: string }) => version === '1.6.0')
  t.match(old, { api: 'xs2a', isDeprecated: true, lifecycle: { successor: '1.7.0' } })
  const { callers } = old
  t.match(
    callers.find((each: { applicationId: string }) => each.applicationId === caller.applicationId),
    { applicationName: 'Caller', developerEmail: caller.developer.email, calls: 7 },
  )

  await send('POST', `${root}/applications/${caller.applicationId}/overrides`, overrideInput())
  const plans = (await send('GET', `${root}/plans`)).body
  t.equal(plans.items.length, 3)
  t.ok(plans.items.every((item: { plan: { name: string } }) => item.plan.name === 'default'))
  t.match(
    plans.overrides.filter(
      (each: { applicationId: string }) => each.applicationId === caller.applicationId,
    ),
    [{ applicationName: 'Caller', calls: 7, limit: 'default' }],
  )
})

t.test('a request for more calls is granted or declined once, with a mail each way', async (t) => {
  const caller = await newCaller()
  const planCalls = Number((await caller.call()).headers['x-ratelimit-limit'])
  const requests = `${caller.path}/limit-requests`
  const limitRequest = { api: 'xs2a', version: '1.7.0', limit: 'default', calls: 2_000_000 }
  const ask = (changes: object = {}) =>
    caller.send('POST', requests, { ...limitRequest, reason: 'All accounts at once', ...changes })
  for (const wrong of [{ calls: 5 }, { limit: 'none' }, { version: '1.6.0' }, { reason: ' ' }]) {
    t.match(await ask(wrong), { status: 400, body: { code: 'INPUT_INVALID' } })
  }
  const asked = await ask()
  t.match(asked, {
    status: 201,
    body: { ...limitRequest, wantedUntil: null, state: 'open', answer: null },
  })
  t.match(await ask(), { status: 409, body: { rule: 'limit-request-open' } })
  const mailsTo = async (to: string, subject: string) =>
    (await readMails(tollgate.dataDir)).filter(
      (mail) => mail.to === to && mail.subject.includes(subject),
    )
  const waits = await send('GET', `${root}/limit-requests`)
  t.match(
    waits.body.items.find(({ id }: { id: string }) => id === asked.body.id),
    {
      applicationName: 'Caller',
      developerEmail: caller.developer.email,
      limitNow: { calls: planCalls, windowSeconds: 31_536_000, scope: 'operation' },
    },
  )

  const item = `${root}/limit-requests/${asked.body.id}`
  const endsAt = new Date(Date.now() + hour).toISOString()
  t.match(await send('POST', `${item}/grant`, { calls: 9, until: '2020-01-01T00:00:00.000Z' }), {
    status: 400,
  })
  await send(
    'POST',
    `${root}/applications/${caller.applicationId}/overrides`,
    overrideInput({ calls: 50 }),
  )
  t.match(await send('POST', `${item}/grant`, { calls: 49, until: endsAt }), {
    status: 409,
    body: { rule: 'grant-below-limit', limit: 50 },
  })
  t.match(await send('POST', `${item}/grant`, { calls: 1_500_000, until: endsAt }), {
    status: 200,
    body: { state: 'granted', grantedCalls: 1_500_000, grantedUntil: endsAt },
  })
  t.match(await send('POST', `${item}/grant`, { calls: 9, until: endsAt }), {
    status: 409,
    body: { rule: 'limit-request-closed' },
  })
  t.match(await send('POST', `${item}/decline`, { reason: 'No' }), { status: 409 })
  t.match(await caller.send('DELETE', `${requests}/${asked.body.id}`), { status: 409 })
  const { items } = (await send('GET', `${root}/applications/${caller.applicationId}/overrides`))
    .body
  t.match(items, [{ calls: 1_500_000, createdBy: actor, expiresAt: endsAt }])
  t.equal(items.length, 1, 'it replaced the one before')

  const again = await ask()
  await send('POST', `${root}/limit-requests/${again.body.id}/decline`, { reason: 'Not now' })
  const third = await ask()
  t.match(await caller.send('DELETE', `${requests}/${third.body.id}`), { status: 204 })
  t.match((await caller.send('GET', requests)).body.items, [
    { state: 'withdrawn' },
    { state: 'declined', answer: 'Not now' },
    { state: 'granted' },
  ])
  const toOperator = () => mailsTo(operator.developer.email, 'asks for more calls')
  await until('one mail for each answer, and one in an hour to an operator', async () => {
    const granted = await mailsTo(caller.developer.email, 'was granted')
    const declined = await mailsTo(caller.developer.email, 'was declined')
    return (await toOperator()).length === 1 && granted.length === 1 && declined.length === 1
  })
  const audit = await beside.stores.audit.list({
    subject: `application:${caller.applicationId}`,
    limit: 50,
  })
  const verbs = audit
    .map(({ action }) => action)
    .filter((name) => name.startsWith('limit-request.'))
  t.same(verbs.toReversed(), [
    'limit-request.create',
    'limit-request.grant',
    'limit-request.create',
    'limit-request.decline',
    'limit-request.create',
    'limit-request.withdraw',
  ])

  const other = (await caller.send('POST', '/api/applications', { name: 'Another' })).body.id
  const subscriptions = `/api/applications/${other}/subscriptions`
  const subscription = { api: 'xs2a', version: '1.7.0', plan: 'default' }
  const subscribed = (await caller.send('POST', subscriptions, subscription)).body.id
  const otherRequests = `/api/applications/${other}/limit-requests`
  const fourth = await caller.send('POST', otherRequests, {
    ...limitRequest,
    reason: 'For another',
  })
  t.equal(fourth.status, 201)
  const fifth = await ask()
  await beside.db
    .updateTable('portal_state')
    .set({ value: new Date(Date.now() - hour).toISOString() })
    .where('name', '=', 'limit-request-mails')
    .execute()
  await until('after the hour one mail says how many wait', async () => {
    const [, told] = await toOperator()
    return told?.text.includes('2 requests wait') === true
  })
  await caller.send('DELETE', `${subscriptions}/${subscribed}`)
  const first = (await send('GET', `${root}/limit-requests?limit=1`)).body
  t.match(first, { items: [{ id: fourth.body.id, limitNow: null }], next: fourth.body.id })
  const rest = (await send('GET', `${root}/limit-requests?limit=1&after=${first.next}`)).body
  t.match(rest, { items: [{ id: fifth.body.id, limitNow: { calls: 1_500_000 } }] })
  t.notOk(rest.next)
  const closed = (await send('GET', `${root}/limit-requests?state=closed&limit=1`)).body
  const after = `${root}/limit-requests?state=closed&after=${closed.next}`
  t.match(
    [...closed.items, ...(await send('GET', after)).body.items].map(({ id }) => id),
    [third.body.id, again.body.id, asked.body.id],
    'the closed ones by pages too, last closed first',
  )
  t.match(
    await send('POST', `${root}/limit-requests/${fourth.body.id}/grant`, {
      calls: 3_000_000,
      until: endsAt,
    }),
    { status: 409, body: { rule: 'limit-request-outdated' } },
  )
  await caller.send('DELETE', `/api/applications/${other}`)
  await caller.send('DELETE', `${requests}/${fifth.body.id}`)
  const tooMany = await ask()
  t.match(tooMany, { status: 429, body: { code: 'ATTEMPTS_EXCEEDED', detail: /5 times a day/ } })
  t.ok(Number(tooMany.headers['retry-after']) > 80_000)

  const mine = { developerId: operator.developer.id, name: 'Asks itself', by: 'test' }
  const own = await beside.stores.applications.create(mine)
  const owned = await beside.stores.limitRequests.create({
    applicationId: own.id,
    ...limitRequest,
    wantedUntil: null,
    reason: 'mine',
    by: 'test',
    outbox: { post: async () => undefined },
  })
  const path = `${root}/limit-requests/${owned.id}`
  const refused = { status: 409, body: { rule: 'own-application' } }
  t.match(await send('POST', `${path}/grant`, { calls: 9, until: endsAt }), refused)
  t.match(await send('POST', `${path}/decline`, { reason: 'No' }), refused)
})

t.test(
  'operators see until when calls are wanted; a time that is over or cannot be written is refused',
  async (t) => {
    const caller = await newCaller()
    const requests = `${caller.path}/limit-requests`
    const wanted = { api: 'xs2a', version: '1.7.0', limit: 'default', calls: 2_000_000 }
    const ask = (wantedUntil: string) =>
      caller.send('POST', requests, { ...wanted, reason: 'A campaign', wantedUntil })
    const lists = async () => {
      const [own, all] = [
        await caller.send('GET', requests),
        await send('GET', `${root}/limit-requests`),
      ]
      t.same([own.status, all.status], [200, 200])
      return all.body.items.filter(
        ({ applicationId }: { applicationId: string }) => applicationId === caller.applicationId,
      )
    }
    for (const [wantedUntil, rule] of [
      ['2020-01-01T00:00:00.000Z', /future/],
      ['9999-12-31T23:59:59-23:59', /before the year 10000/],
      ['2030-12-31T23:59:60Z', /future/],
      ['in May', /./],
    ] as const) {
      t.match(
        await ask(wantedUntil),
        { status: 400, body: { code: 'INPUT_INVALID', errors: [{ path: '/wantedUntil', rule }] } },
        wantedUntil,
      )
      t.same(await lists(), [])
    }

    const wantedUntil = new Date(Date.now() + 10 * hour).toISOString()
    t.match(await ask(wantedUntil), { status: 201, body: { wantedUntil } })
    t.match(await lists(), [{ wantedUntil }])
    const subject = `application:${caller.applicationId}`
    const entries = await beside.stores.audit.list({ subject, limit: 50 })
    t.match(entries.find(({ action }) => action === 'limit-request.create')?.detail, {
      wantedUntil,
    })
  },
)
