import { randomBytes, randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { sql } from 'kysely'
import t from 'tap'
import { resetConnection } from '../../src/platform/http/reset-connection.ts'
import { onboard } from '../../src/portal/stores/accounts/onboard.ts'
import { generateKey } from '../../src/registry/keys/key-format.ts'
import { pruneAged, pruneOverflow } from '../../src/registry/usage/prune-records.ts'
import { createClient } from '../support/calling.ts'
import { mistyped } from '../support/mistyped.ts'
import { besidePortal, type PortalAnswer } from '../support/portal-client.ts'
import { answerOk, startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

/** How the backend answers card accounts; everything else it answers well. */
let answerCards = answerOk
const backend = await startRawBackend(t)
backend.answer = (request, socket) =>
  (request.target.includes('/card-accounts') ? answerCards : answerOk)(request, socket)
const tollgate = await runTollgate(t, {
  env: { BACKEND_URL: backend.url },
  // A window that does not end meanwhile.
  plan: { calls: 3, window: 'P365D' },
  // Those of the program: a deletion finds calls that are not written yet.
  pauses: {},
})
const gateway = createClient(t, tollgate.urls.gateway, 8)
const beside = await besidePortal(t, tollgate)

// Most of the time they wait for the next flush, which they may do side by side.
t.jobs = 6

/** A developer who is signed in, with an application subscribed to xs2a 1.7.0. */
async function newDeveloper() {
  const { developer, send } = await beside.signIn()
  const made = await onboard(beside.stores, {
    email: developer.email,
    developerName: '',
    applicationName: 'records',
    subscriptions: [{ api: 'xs2a', version: '1.7.0', plan: 'default' }],
    by: 'test',
  })
  const calls = `/api/applications/${made.applicationId}/calls`

  /** What is known of a call, as soon as it is. */
  async function recordOf({ requestId }: { readonly requestId: string }) {
    let found: PortalAnswer['body'] = { items: [] }
    await until(`the call ${requestId} has a record`, async () => {
      found = (await send('GET', `${calls}/${requestId}`)).body
      return found.items.length > 0
    })
    return found.items[0]
  }
  return { ...made, developer, send, calls, recordOf }
}

/** The right public id and a right checksum around a secret of one's own. */
function forged(keyId: string): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const idBytes = Buffer.from([...keyId].map((letter) => alphabet.indexOf(letter)))
  return generateKey((size) => (size === 12 ? idBytes : randomBytes(size))).text
}

/**
 * Gives the records of these calls moments a second apart: on a quick machine several calls begin in the same millisecond.
 */
async function oneAfterTheOther(
  { recordOf }: Pick<Awaited<ReturnType<typeof newDeveloper>>, 'recordOf'>,
  ids: readonly string[],
): Promise<void> {
  for (const requestId of ids) await recordOf({ requestId })
  await sql`update call_records
    set at = now() + interval '1 second' * array_position(${[...ids]}::uuid[], request_id)
    where request_id = any(${[...ids]}::uuid[])`.execute(beside.db)
}

const ada = await newDeveloper()
const accounts = { key: ada.key, path: '/v1.7.0/accounts' }

t.test('the record of a call is found by its id alone, by its owner only', async (t) => {
  const owner = await newDeveloper()
  const stranger = await newDeveloper()
  const call = await gateway.call({ key: owner.key, path: '/v1.7.0/nothing' })
  t.match(JSON.parse(call.body).log, new RegExp(`/r/${call.requestId}$`))
  await owner.recordOf(call)
  const found = await owner.send('GET', `/api/calls/${call.requestId}`)
  t.same(found.body, { applicationIds: [owner.applicationId] })
  for (const [who, id] of [
    [stranger, call.requestId],
    [owner, randomUUID()],
    [owner, 'no-uuid'],
  ] as const) {
    const answer = await who.send('GET', `/api/calls/${id}`)
    t.equal(answer.status, 200)
    t.same(answer.body, { applicationIds: [] }, 'a foreign id is answered as an unknown one')
  }
  const page = await fetch(`${tollgate.urls.portal}/r/${call.requestId}`)
  t.equal(page.status, 200)
  t.match(page.headers.get('content-type'), 'text/html')
})

t.test('an admitted call is remembered with its count, its time and its reason', async (t) => {
  const call = await gateway.call(accounts)
  const record = await ada.recordOf(call)
  t.match(record, {
    requestId: call.requestId,
    traceId: /^[0-9a-f]{32}$/,
    method: 'GET',
    api: 'xs2a',
    version: '1.7.0',
    operation: 'listAccounts',
    keyId: ada.keyId,
    outcome: 'forwarded',
    decision: 'admitted',
    status: 200,
    limit: 3,
    used: 1,
    remaining: 2,
  })
  t.ok(record.upstreamMs > 0 && record.upstreamMs <= record.totalMs)
  t.ok(Date.parse(record.at) >= call.begunAt - 5 && Date.parse(record.at) <= call.endedAt)
  t.equal(Date.parse(record.resetsAt) % 86_400_000, 0, 'the end of a day, UTC')
  t.match(
    record.reason,
    /^Allowed as call 1 of 3 to listAccounts in the window of 365 days that ends at 00:00 UTC on [\d-]+; the bank responded with 200 in \d+ ms\.$/,
  )
})

t.test('a refusal of the limit says which calls were used and when the window ends', async (t) => {
  await gateway.call(accounts)
  await gateway.call(accounts)
  const refused = await gateway.call(accounts)
  t.equal(refused.status, 429)
  const record = await ada.recordOf(refused)
  t.match(record, {
    outcome: 'QUOTA_EXCEEDED',
    status: 429,
    limit: 3,
    limitScope: 'operation',
    windowSeconds: 31_536_000,
    used: 3,
    remaining: 0,
    upstreamMs: null,
    path: '/v1.7.0/accounts',
  })
  t.match(
    record.reason,
    /^All 3 calls of the window of 365 days to listAccounts were used\. The limit resets at 00:00 UTC on [\d-]+\. This call does not count against your limit\.$/,
  )
})

t.test(
  'a call refused before authentication still belongs to the key',
  { buffered: true },
  async (t) => {
    const onlyBefore = await gateway.call({
      key: ada.key,
      path: '/v1.7.0/accounts',
      method: 'DELETE',
    })
    t.equal(onlyBefore.status, 405)
    t.match(await ada.recordOf(onlyBefore), {
      keyId: ada.keyId,
      outcome: 'METHOD_NOT_ALLOWED',
      status: 405,
      api: 'xs2a',
      operation: null,
      path: '/v1.7.0/accounts',
      decision: null,
      limit: null,
      reason:
        'The path exists in xs2a 1.7.0, but not with the method DELETE. This call does not count against your limit.',
    })

    const removed = '/v1.7.0/payments/sepa-credit-transfers/a1/authorisations/b2'
    const id = randomUUID()
    await sendRaw(
      tollgate.urls.gateway,
      rawRequest(`GET ${removed} HTTP/1.1`, [`X-IBM-Client-Id: ${ada.key}`, `X-Request-ID: ${id}`]),
    )
    t.match(await ada.recordOf({ requestId: id }), {
      outcome: 'OPERATION_NOT_IN_VERSION',
      path: '/v1.7.0/payments/{payment-product}/{paymentId}/authorisations/{authorisationId}',
      reason: /Version 1\.7\.0 does not have this operation; it is available in 1\.6\.0\./,
    })

    const nowhere = await gateway.call({ key: ada.key, path: '/v1.7.0/acounts' })
    t.match(await ada.recordOf(nowhere), {
      outcome: 'NOT_FOUND',
      status: 404,
      path: null,
      reason:
        'No published operation has this path. Did you mean /v1.7.0/accounts? This call does not count against your limit.',
    })

    const malformed = await gateway.call({ key: ada.key, path: '/v1.7.0//accounts' })
    t.match(await ada.recordOf(malformed), {
      outcome: 'TARGET_INVALID',
      status: 400,
      reason: /^Send the path as published/,
    })
  },
)

t.test('a first call that goes wrong is remembered, too', { buffered: true }, async (t) => {
  const joan = await newDeveloper()
  const call = await gateway.call({ key: joan.key, path: '/v1.7.0/acounts' })
  t.equal(call.status, 404)
  t.match(await joan.recordOf(call), { outcome: 'NOT_FOUND', keyId: joan.keyId })
})

t.test('a key is no use to write into the records of others', { buffered: true }, async (t) => {
  const mallory = await newDeveloper()
  await gateway.call({ key: mallory.key, path: '/v1.7.0/consents/x' })
  const guess = forged(ada.keyId)
  t.ok(guess.startsWith(`tg_${ada.keyId}_`))
  const tries = await Promise.all([
    gateway.call({ key: guess, path: '/nothing' }),
    gateway.call({ key: guess }),
    gateway.call({ key: mistyped(ada.key), path: '/nothing' }),
    gateway.call({ key: mallory.key, path: '/nothing' }),
  ])
  // Records of one flush are written in the order of the calls.
  const last = await gateway.call({ key: ada.key, path: '/nothing' })
  await ada.recordOf(last)
  for (const { requestId } of tries) {
    t.same((await ada.send('GET', `${ada.calls}/${requestId}`)).body, { items: [] })
  }
  const foreign = await mallory.send('GET', ada.calls)
  t.equal(foreign.status, 404)
  t.equal((await mallory.send('GET', `${ada.calls}/${last.requestId}`)).status, 404)
  t.equal((await mallory.send('GET', `/api/applications/${randomUUID()}/calls`)).status, 404)
  t.same((await mallory.send('GET', `${mallory.calls}/${last.requestId}`)).body, { items: [] })
  t.equal((await beside.anonymous('GET', ada.calls)).status, 401)
})

t.test('a refusal by plan, operator or expired key is explained', { buffered: true }, async (t) => {
  const bob = await newDeveloper()
  const elsewhere = await gateway.call({ key: bob.key, path: '/v1.6.0/accounts' })
  t.match(await bob.recordOf(elsewhere), {
    outcome: 'NOT_SUBSCRIBED',
    status: 403,
    reason: /^The application has no active subscription to xs2a 1\.6\.0\./,
  })

  await beside.stores.applications.suspend({ id: bob.applicationId, by: 'test' })
  await until('the suspended application is refused', async () => {
    const call = await gateway.call({ key: bob.key })
    if (call.status !== 403) return false
    t.match(await bob.recordOf(call), {
      outcome: 'APPLICATION_SUSPENDED',
      reason: 'The application was suspended. This call does not count against your limit.',
    })
    return true
  })
  await beside.stores.applications.resume({ id: bob.applicationId, by: 'test' })

  const expiring = await beside.stores.keys.issue({
    applicationId: bob.applicationId,
    name: 'short',
    expiresAt: new Date(Date.now() + 1500),
    by: 'test',
  })
  await gateway.call({ key: expiring.key })
  await until('the key has expired', async () => {
    const { status, requestId } = await gateway.call({ key: expiring.key })
    if (status !== 401) return false
    t.match(await bob.recordOf({ requestId }), {
      keyId: expiring.id,
      outcome: 'KEY_INVALID',
      reason:
        /^The API key expired at \d\d:\d\d(:\d\d)? UTC( on [\d-]+)?\. This call does not count against your limit\.$/,
    })
    return true
  })

  await gateway.call({ key: bob.key })
  await beside.stores.keys.revoke({ id: bob.keyId, by: 'test' })
  await until(
    'the revoked key is refused',
    async () => (await gateway.call({ key: bob.key })).status === 401,
  )
  const refused = await gateway.call({ key: bob.key })
  const guessed = await gateway.call({ key: forged(bob.keyId) })
  t.same([refused.status, guessed.status], [401, 401])
  t.match(await bob.recordOf(refused), {
    keyId: bob.keyId,
    outcome: 'KEY_INVALID',
    status: 401,
    reason:
      /^The API key was revoked at \d\d:\d\d(:\d\d)? UTC( on [\d-]+)?\. This call does not count against your limit\.$/,
  })
  t.same(
    (await bob.send('GET', `${bob.calls}/${guessed.requestId}`)).body,
    { items: [] },
    'the owner sees nothing of a guess at the secret',
  )
})

t.test('the latest calls come newest first, by key if asked', { buffered: true }, async (t) => {
  const grace = await newDeveloper()
  const second = await beside.stores.keys.issue({
    applicationId: grace.applicationId,
    name: 'second',
    by: 'test',
  })
  const ids: string[] = []
  for (const key of [grace.key, second.key, grace.key]) {
    const call = await gateway.call({ key })
    ids.push(call.requestId)
  }
  await oneAfterTheOther(grace, ids)
  const shown = async (query: string) => {
    const { body } = await grace.send('GET', `${grace.calls}${query}`)
    return body.items.map(({ requestId }: { requestId: string }) => requestId)
  }
  t.same(await shown(''), ids.toReversed())
  t.same(await shown('?limit=1'), ids.slice(2))
  t.same(await shown(`?keyId=${second.id}`), ids.slice(1, 2))
  t.same(await shown(`?requestId=${ids[1]}`), ids.slice(1, 2))
  const read: string[] = []
  for (let after = ''; ; ) {
    const { body } = await grace.send('GET', `${grace.calls}?limit=1${after}`)
    read.push(...body.items.map(({ requestId }: { requestId: string }) => requestId))
    if (body.next === undefined) break
    after = `&after=${body.next}`
    t.same(
      await ada.send('GET', `${ada.calls}?limit=1${after}`).then(itemsOf),
      [],
      'only its owner',
    )
  }
  t.same(read, ids.toReversed(), 'one page after the other')
  t.same((await grace.send('GET', `${grace.calls}/not-a-uuid`)).body, { items: [] })
  t.equal((await grace.send('GET', `${grace.calls}?limit=0`)).status, 400)
  t.equal((await grace.send('GET', `${grace.calls}?keyId=x`)).status, 400)
  t.equal((await grace.send('GET', `${grace.calls}?after=x`)).status, 400)
})

const itemsOf = ({ body }: PortalAnswer): unknown => body.items

t.test(
  'applications are summed up: calls, refusals, working keys, versions and the last call',
  { buffered: true },
  async (t) => {
    const edith = await newDeveloper()
    const { stores } = beside
    const application = { applicationId: edith.applicationId, by: 'test' }
    await stores.keys.issue({ ...application, name: 'second' })
    await stores.keys.revoke({
      ...application,
      id: (await stores.keys.issue({ ...application, name: 'third' })).id,
    })
    const { id: idle } = await stores.applications.create({
      developerId: edith.developer.id,
      name: 'idle',
      by: 'test',
    })
    const calls = []
    for (let call = 0; call < 5; call += 1) calls.push(await gateway.call({ key: edith.key }))
    let records: PortalAnswer['body'][] = []
    await until('all calls have a record', async () => {
      records = (await edith.send('GET', edith.calls)).body.items
      return records.length === 5
    })
    const [latest, before] = records
    let found: PortalAnswer['body']
    await until('all calls are in the summary', async () => {
      found = (await edith.send('GET', '/api/applications/summary')).body
      return found.items[0].calls === 5
    })
    const [busy, other] = found.items
    t.match(busy, {
      applicationId: edith.applicationId,
      calls: 5,
      refused: 2,
      workingKeys: 2,
      versions: [{ api: 'xs2a', version: '1.7.0' }],
      lastCallAt: latest.at,
    })
    t.equal(busy.hours.length, 24)
    t.equal(busy.hours.at(-1) + busy.hours.at(-2), 5, 'in this hour, or the one that just ended')
    t.same(other, {
      applicationId: idle,
      calls: 0,
      refused: 0,
      hours: new Array(24).fill(0),
      workingKeys: 0,
      versions: [],
      lastCallAt: null,
    })
    t.equal(found.items.length, 2, 'nothing of others')

    const { db } = beside
    const later = sql`now() + interval '1 minute'`
    await sql`update call_records set drill = '429', at = ${later} where request_id = ${latest.requestId}`.execute(
      db,
    )
    await sql`update api_keys set last_used_at = ${later} where id = ${edith.keyId}`.execute(db)
    const [drilled] = (await edith.send('GET', '/api/applications/summary')).body.items
    t.equal(drilled.lastCallAt, before.at, 'a drill is no call')
  },
)

t.test(
  'the latest calls can be asked for by operation, status and outcome',
  { buffered: true },
  async (t) => {
    const ida = await newDeveloper()
    const ids: string[] = []
    // The limit allows three calls to an operation.
    for (const path of [...new Array(4).fill('/v1.7.0/accounts'), '/v1.7.0/card-accounts']) {
      const call = await gateway.call({ key: ida.key, path })
      ids.push(call.requestId)
    }
    await oneAfterTheOther(ida, ids)
    const shown = async (query: string) => {
      const { body } = await ida.send('GET', `${ida.calls}?${query}`)
      return body.items.map(({ requestId }: { requestId: string }) => ids.indexOf(requestId))
    }
    t.same(await shown('operation=listCardAccounts'), [4])
    t.same(await shown('operation=listCardAccounts&status=429'), [])
    t.same(await shown('status=2xx'), [4, 2, 1, 0])
    t.same(await shown('status=200&limit=1'), [4])
    t.same(await shown('status=4xx'), [3])
    t.same(await shown('outcome=QUOTA_EXCEEDED'), [3])
    t.same(await shown('outcome=refused'), [3])
    t.same(await shown('outcome=forwarded'), [4, 2, 1, 0])
    for (const query of ['status=xx', 'status=2000', 'outcome=%00', 'operation=%00']) {
      t.equal((await ida.send('GET', `${ida.calls}?${query}`)).status, 400, query)
    }
  },
)

t.test(
  'of an application its last 1,000 calls are kept, of all the last 24 hours',
  { buffered: true },
  async (t) => {
    const { applicationId, keyId, send, calls } = await newDeveloper()
    const other = await newDeveloper()
    const { db } = beside
    async function fill(id: string, count: number, oldestMinutes: number): Promise<void> {
      await sql`
      insert into call_records (application_id, at, request_id, trace_id, key_id, method, outcome, status, total_ms)
      select ${id}, now() - make_interval(mins => ${oldestMinutes}) + n * interval '1 ms',
        gen_random_uuid(), '', ${keyId}, 'GET', 'NOT_FOUND', 404, n
      from generate_series(1, ${count}::integer) n`.execute(db)
    }
    const held = async (id: string) =>
      (
        await sql<{ count: number; first: number }>`
        select count(*), min(total_ms) as first from call_records where application_id = ${id}`.execute(
          db,
        )
      ).rows[0]
    await fill(applicationId, 1_300, 10)
    await fill(other.applicationId, 1_300, 10)
    await pruneOverflow(db, [applicationId])
    t.same(await held(applicationId), { count: 1_000, first: 301 }, 'the oldest are gone')
    t.same(
      await held(other.applicationId),
      { count: 1_300, first: 1 },
      'other applications lose none',
    )

    await fill(applicationId, 50, 25 * 60)
    const shown = (await send('GET', calls)).body.items
    t.equal(shown.length, 100)
    await pruneAged(db)
    t.same(await held(applicationId), { count: 1_000, first: 301 })
  },
)

t.test(
  'everything goes with the application, and calls made meanwhile do not bring it back',
  { buffered: true },
  async (t) => {
    const henry = await newDeveloper()
    const { applicationId } = henry
    await gateway.call({ key: henry.key })
    const last = await gateway.call({ key: henry.key, path: '/nothing' })
    await henry.recordOf(last)
    await until('every table has rows of the application', async () =>
      (await rowsOf(applicationId)).every((count) => count > 0),
    )
    await gateway.call({ key: henry.key })
    t.equal((await henry.send('DELETE', `/api/applications/${applicationId}`)).status, 204)
    t.same(await rowsOf(applicationId), [0, 0, 0, 0])
    // Counts of another application at the same time are written with them.
    const iris = await newDeveloper()
    await gateway.call({ key: iris.key })
    await until("the other application's calls are written", async () => {
      const [records = 0, minutes = 0] = await rowsOf(iris.applicationId)
      return records > 0 && minutes > 0
    })
    t.same(await rowsOf(applicationId), [0, 0, 0, 0], 'what waited was not written')
  },
)

t.test(
  'failures of the bank service and closed connections are distinguished',
  { buffered: true },
  async (t) => {
    const eve = await newDeveloper()
    const { key } = eve
    answerCards = (_request, socket) =>
      void socket.write('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n')
    const failed = await gateway.call({ key, path: '/v1.7.0/card-accounts' })
    t.match(await eve.recordOf(failed), {
      outcome: 'forwarded',
      status: 503,
      used: 1,
      reason: /; the bank responded with 503 in \d+ ms\.$/,
    })

    answerCards = (_request, socket) => socket.destroy()
    const garbled = await gateway.call({ key, path: '/v1.7.0/card-accounts' })
    t.match(await eve.recordOf(garbled), {
      outcome: 'BACKEND_BAD_RESPONSE',
      decision: 'admitted',
      status: 502,
      used: 2,
      reason:
        /^Allowed as call 2 of 3 .*; the bank sent no valid response; the call may have had an effect\.$/,
    })

    answerCards = (_request, socket) =>
      void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')
    const cutId = randomUUID()
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const traceparent = `traceparent: 00-${traceId}-b7ad6b7169203331-00`
    const headers = [`X-API-Key: ${key}`]
    await sendRaw(
      tollgate.urls.gateway,
      rawRequest('GET /v1.7.0/card-accounts HTTP/1.1', [
        ...headers,
        `X-Request-ID: ${cutId}`,
        traceparent,
      ]),
    )
    t.match(await eve.recordOf({ requestId: cutId }), {
      outcome: 'cut',
      status: 200,
      traceId,
      reason: /; the bank broke off its response\.$/,
    })

    let isAsked = false
    answerCards = () => {
      isAsked = true
    }
    const leftId = randomUUID()
    const socket = connect(Number(new URL(tollgate.urls.gateway).port), '127.0.0.1')
    socket.write(
      rawRequest('GET /v1.7.0/card-accounts/c1 HTTP/1.1', [...headers, `X-Request-ID: ${leftId}`]),
    )
    await until('the bank has the call', async () => isAsked)
    resetConnection(socket)
    t.match(await eve.recordOf({ requestId: leftId }), {
      outcome: 'aborted',
      decision: 'admitted',
      status: 0,
      reason:
        /; your application closed the connection before it had received the whole response\.$/,
    })

    await t.test('and counted: admitted, refused and errors by operation', async (t) => {
      answerCards = (_request, socket) =>
        void socket.write('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')
      await gateway.call({ key, path: '/v1.7.0/card-accounts/c1/balances' })
      await gateway.call({ key, path: '/v1.7.0/card-accounts', method: 'DELETE' })
      await gateway.call({ key, path: '/v1.7.0/card-accounts' })
      const history = `/api/applications/${eve.applicationId}/usage/history`
      let body: PortalAnswer['body']
      await until('the calls are in the history', async () => {
        body = (await eve.send('GET', `${history}?step=minute`)).body
        return body.operations.length === 4 && body.operations[3].refused === 1
      })
      t.match(body.operations, [
        { operation: null, admitted: 0, refused: 1, errors: 0, clientErrors: 0 },
        {
          api: 'xs2a',
          version: '1.7.0',
          operation: 'getCardAccount',
          admitted: 1,
          refused: 0,
          errors: 0,
        },
        { operation: 'getCardAccountBalances', admitted: 1, errors: 0, clientErrors: 1 },
        { operation: 'listCardAccounts', admitted: 3, refused: 1, errors: 3, clientErrors: 0 },
      ])
      const csv = await eve.send('GET', `${history}.csv?step=minute`)
      t.match(csv.headers, {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': /^attachment; filename="usage-[\d-]+-by-minute\.csv"$/,
      })
      const [head, ...rows] = csv.text.trimEnd().split('\r\n')
      t.equal(
        head,
        'at,api,version,operation,admitted,refused,errors,average_ms,max_ms,client_errors',
      )
      const cards = rows
        .filter((row) => row.includes(',listCardAccounts,'))
        .map((row) => row.split(','))
      t.equal(
        cards.reduce((sum, row) => sum + Number(row[4]), 0),
        3,
      )
    })
  },
)

async function rowsOf(applicationId: string): Promise<number[]> {
  const counts: number[] = []
  for (const table of ['call_records', 'usage_minutes', 'usage_hours', 'usage_days']) {
    const { rows } = await sql<{ count: number }>`
      select count(*) from ${sql.table(table)} where application_id = ${applicationId}`.execute(
      beside.db,
    )
    counts.push(rows[0]?.count ?? -1)
  }
  return counts
}
