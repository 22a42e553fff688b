import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import type { BankSchema } from '../../src/backend/stores/schema.ts'
import type { Limit, Plan } from '../../src/catalogue/catalogue.ts'
import { drills, drillsOf } from '../../src/platform/http/drills.ts'
import { testCounter } from '../counters/redis-rig.ts'
import { callerOf, hourly, startEdge, type TestEdgeOptions, testKey } from '../support/edge.ts'
import { interfaceWorld } from '../support/interface.ts'
import { answerOk, type RawBackend, startRawBackend } from '../support/raw-backend.ts'
import { type RawAnswer, rawRequest, sendRaw } from '../support/raw-client.ts'
import { redisMissing, startRedisServer } from '../support/redis-server.ts'
import { until } from '../support/until.ts'

// Twenty minutes and three seconds into an hour.
const now = () => Date.parse('2026-11-20T14:20:03Z')
const requestId = randomUUID()
const get = 'GET /v1.7.0/accounts HTTP/1.1'
const consent = [`Consent-ID: ${randomUUID()}`]
const three = [{ name: 'default', calls: 3, ...hourly }]

async function rig(t: Test, options: Partial<TestEdgeOptions> = {}) {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url, now, ...options })
  /** Asks with the same fields each time, but for the drill. */
  const ask = (drill?: string, fields: readonly string[] = []) =>
    sendRaw(
      edge.url,
      rawRequest(get, [
        `X-API-Key: ${testKey}`,
        `X-Request-ID: ${requestId}`,
        ...(drill === undefined ? [] : [`Sandbox-Drill: ${drill}`]),
        ...fields,
      ]),
    )
  return { backend, edge, ask }
}

/** All octets of an answer, but for the second in which Node wrote it. */
function octets({ text, isClosed }: RawAnswer): unknown {
  return { text: text.replace(/^Date: .*$/m, 'Date: now'), isClosed }
}

function detailOf({ body }: RawAnswer): string {
  return JSON.parse(body).detail
}

/** What of the metrics counts calls. */
async function counted(edge: { metrics: () => Promise<string> }): Promise<string[]> {
  const lines = (await edge.metrics()).split('\n')
  return lines.filter(
    (line) => line.startsWith('gateway_') && !/_drills_total|_in_progress|_connections/.test(line),
  )
}

const rehearsal = {
  name: 'next',
  title: 'Next',
  apis: ['xs2a@*'],
  versions: ['xs2a@1.7.0'],
  onStoreOutage: 'local-share' as const,
  limits: three,
}

const rules: Readonly<Record<string, Partial<Plan>>> = {
  'one limit': { limits: three },
  'two limits, of which the second is nearer': {
    limits: [
      { name: 'default', calls: 5, ...hourly },
      { name: 'whole', calls: 3, windowLength: 7_200, isAdvertised: true, scope: 'plan' },
    ] satisfies Limit[],
  },
  'two limits in one bucket': {
    limits: [
      { name: 'loose', calls: 4, ...hourly },
      { name: 'strict', calls: 3, ...hourly },
    ],
  },
}

for (const [name, plan] of Object.entries(rules)) {
  t.test(`a drilled 429 has the octets of a real one (${name}), and takes no call`, async (t) => {
    const { backend, ask } = await rig(t, { plan })
    for (const left of ['2', '1', '0']) {
      t.equal((await ask('429')).status, 429)
      t.equal((await ask()).headers.get('x-ratelimit-remaining'), left)
    }
    const drilled = await ask('429')
    const real = await ask()
    t.equal(real.status, 429)
    t.same(octets(drilled), octets(real))
    t.equal(backend.requests.length, 3, 'no drill reached the bank')
  })
}

t.test('a drilled 429 before the limit is used up has the octets of the later one', async (t) => {
  const { ask } = await rig(t, { plan: { limits: three } })
  const drilled = await ask('429')
  for (let call = 1; call <= 3; call += 1) await ask()
  t.same(octets(drilled), octets(await ask()))
})

t.test('a drilled 429 of a client that waits for 100 Continue comes before the body', async (t) => {
  const rehearsals: unknown[] = []
  const { edge } = await rig(t, {
    plan: { limits: three, rehearsal },
    recorder: { ended() {}, rehearsed: (call) => void rehearsals.push(call) },
  })
  const post = (drill: readonly string[]) =>
    sendRaw(
      edge.url,
      rawRequest('POST /v1.7.0/consents HTTP/1.1', [
        `X-API-Key: ${testKey}`,
        `X-Request-ID: ${requestId}`,
        'Content-Type: application/json',
        'Content-Length: 2',
        'Expect: 100-continue',
        ...drill,
      ]),
    )
  const drilled = await post(['Sandbox-Drill: 429'])
  t.same(rehearsals, [], 'and is not rehearsed')
  for (let call = 1; call <= 3; call += 1) {
    await fetch(`${edge.url}/v1.7.0/consents`, {
      method: 'POST',
      headers: { 'x-api-key': testKey },
      body: '{}',
    })
  }
  const real = await post([])
  t.equal(real.status, 429)
  t.same(octets(drilled), octets(real))
})

t.test('a drilled 503 has the octets of a gateway whose backend is busy', async (t) => {
  const { backend, ask } = await rig(t, {
    backendLimits: { backendConnectionsMax: 1, backendQueueMax: 0 },
  })
  const drilled = await ask('503')
  const held = Promise.withResolvers<() => void>()
  backend.answer = (request, socket) => held.resolve(() => answerOk(request, socket))
  const first = ask()
  const release = await held.promise
  const real = await ask()
  release()
  t.equal(real.status, 503)
  t.match(real.body, '"code":"OVERLOADED"')
  t.same(octets(drilled), octets(real))
  t.equal((await first).status, 200)
  t.equal(backend.requests.length, 1)
})

t.test(
  'a drilled 504 has the octets of a bank that does not answer, and comes at once',
  async (t) => {
    const { backend, ask } = await rig(t, { backendLimits: { backendFirstByteMs: 50 } })
    backend.answer = () => undefined
    // The drill shows the limits after this call, because it takes no call itself.
    const real = await ask()
    t.equal(real.status, 504)
    t.same(octets(await ask('504')), octets(real))
    t.equal(backend.requests.length, 1, 'the bank gets no drilled call')
  },
)

const payment = {
  instructedAmount: { currency: 'ILS', amount: '10.00' },
  debtorAccount: { iban: 'IL030205710000000200285' },
  creditorAccount: { iban: 'IL090123450000000123456' },
  creditorName: 'Galil Water',
  remittanceInformationUnstructured: 'Water',
}

const long = `{"text":"${'x'.repeat(40_000)}"}`
const frames: Readonly<Record<string, (body: string) => string>> = {
  'a short body': () =>
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"ok":true}',
  'a body in chunks': () =>
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nb\r\n{"ok":true}\r\n0\r\n\r\n',
}

for (const [name, frame] of Object.entries(frames)) {
  t.test(`a truncated drill breaks off as a real answer does (${name})`, async (t) => {
    const { backend, ask } = await rig(t)
    const whole = frame('')
    // What the bank has sent when its connection breaks: five of the eleven octets of the body.
    const broken = whole.includes('chunked')
      ? whole.replace('b\r\n{"ok":true}\r\n0\r\n\r\n', '5\r\n{"ok"\r\n')
      : whole.slice(0, -6)
    backend.answer = (_request, socket: Socket) => void socket.end(broken)
    const real = await ask()
    t.ok(real.isClosed)
    t.ok(real.text.includes('{"ok"'), 'its answer had begun')
    backend.answer = (_request, socket: Socket) => void socket.write(whole)
    t.same(octets(await ask('truncated')), octets(real))
    t.equal((await ask()).body.includes('true}'), true, 'the next call is answered in full')
  })
}

t.test(
  'a truncated answer that has no body is what a bank leaves that breaks off before it',
  async (t) => {
    const { backend, ask } = await rig(t)
    backend.answer = (_request, socket: Socket) => void socket.end()
    const real = await ask()
    t.equal(real.status, 502)
    backend.answer = (_request, socket: Socket) =>
      void socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    t.same(octets(await ask('truncated')), octets(real))
  },
)

t.test('a truncated answer of many pieces never ends as a whole one', async (t) => {
  const { backend, ask } = await rig(t)
  backend.answer = (_request, socket: Socket) =>
    void socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${long.length}\r\n\r\n${long}`)
  const drilled = await ask('truncated')
  t.equal(drilled.headers.get('content-length'), String(long.length))
  t.ok(drilled.isClosed)
  t.ok(
    drilled.body.length > 0 && drilled.body.length < long.length,
    `${drilled.body.length} octets`,
  )
})

t.test('a slow answer has the octets of any other, half the time of the bank later', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { backend, edge, ask } = await rig(t, { backendLimits: { backendFirstByteMs: 4_000 } })
  const real = await ask()
  const late = ask('slow')
  await until('it is under way', async () =>
    /^gateway_calls_in_progress.* 1$/m.test(await edge.metrics()),
  )
  mock.timers.tick(1_999)
  await ask()
  t.equal(backend.requests.length, 2, 'one sent later comes first')
  mock.timers.tick(1)
  t.same(octets(await late), octets(real))
  t.equal(backend.requests.length, 3)
})

t.test(
  'a client that leaves a slow drill leaves nothing behind, and the bank gets no call',
  async (t) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    t.teardown(() => mock.timers.reset())
    const ended: unknown[] = []
    const { backend, edge, ask } = await rig(t, {
      recorder: { ended: (call) => void ended.push(call.drill), rehearsed() {} },
    })
    const isUnderWay = async () => /^gateway_calls_in_progress 1$/m.test(await edge.metrics())
    const leaving = connect(Number(new URL(edge.url).port), '127.0.0.1')
    leaving.write(rawRequest(get, [`X-API-Key: ${testKey}`, 'Sandbox-Drill: slow']))
    await until('it is under way', isUnderWay)
    leaving.resetAndDestroy()
    await until('the call is over', () => ended.length === 1)
    const second = ask('slow')
    await until('the second drill is under way', isUnderWay)
    mock.timers.tick(5_000)
    t.equal((await second).status, 200)
    t.equal(backend.requests.length, 1, 'only the second drill')
  },
)

t.test('after the drill 504 the bank has not acted, after truncated it has, once', async (t) => {
  const world = await interfaceWorld(t)
  const db = world.database.connect<BankSchema>().withSchema('bank')
  const payments = async () => (await db.selectFrom('payments').select('id').execute()).length
  const pay = (id: string, drill?: string) =>
    world.call(t, {
      operation: 'initiatePayment',
      version: '1.7.0',
      path: { 'payment-product': 'fp' },
      headers: { 'x-request-id': id, 'psu-id': '305567661', 'sandbox-drill': drill },
      body: payment,
    })
  const before = await payments()
  const [first, second] = [randomUUID(), randomUUID()]
  t.equal((await pay(first, '504')).status, 504)
  t.equal(await payments(), before)
  t.equal((await pay(first)).status, 201)
  t.equal(await payments(), before + 1)
  await t.rejects(pay(second, 'truncated'))
  t.equal(await payments(), before + 2)
  t.equal((await pay(second)).status, 201)
  t.equal(await payments(), before + 2, 'the repetition gets the payment that there is')
})

t.test('without a sandbox the header is refused and names itself', async (t) => {
  const { backend, ask } = await rig(t, { hasDrills: false })
  for (const drill of [...drills, 'unheard-of', '']) {
    const refused = await ask(drill)
    t.equal(refused.status, 400, drill)
    t.match(refused.body, '"code":"HEADERS_INVALID"')
    t.match(detailOf(refused), /Sandbox-Drill/)
    t.match(detailOf(refused), /no sandbox/)
  }
  t.equal(backend.requests.length, 0)
})

t.test('an API with its own backend has no drills, and no page may ask for one', async (t) => {
  const own = await startRawBackend(t)
  const { backend, edge, ask } = await rig(t, { backendUrls: new Map([['xs2a', own.url]]) })
  for (const drill of [...drills, 'unheard-of']) {
    const refused = await ask(drill, consent)
    t.equal(refused.status, 400, drill)
    t.match(refused.body, '"code":"HEADERS_INVALID"')
    t.match(detailOf(refused), /^Calls of this API do not go to the sandbox.*Sandbox-Drill/)
  }
  const mandate = '/v1.0.0/mandates/0d5f3d52-3a6e-4a41-8a5c-0c4f1d1f0a11'
  const headers = { 'x-api-key': testKey, 'sandbox-drill': '429' }
  t.equal((await fetch(`${edge.url}${mandate}`, { headers })).status, 429, 'others have drills')
  t.equal(own.requests.length + backend.requests.length, 0)
  t.match(
    await edge.metrics(),
    /^gateway_requests_total\{.*HEADERS_INVALID.*\} 8$/m,
    'they are calls',
  )
  const allowed = async (path: string) => {
    const answer = await fetch(`${edge.url}${path}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://portal.example', 'access-control-request-method': 'GET' },
    })
    return answer.headers.get('access-control-allow-headers')?.includes('Sandbox-Drill')
  }
  t.equal(await allowed('/v1.7.0/accounts'), false)
  t.equal(await allowed(mandate), true)
})

t.test('an unknown drill is refused with the list of those that there are', async (t) => {
  const { backend, ask } = await rig(t)
  for (const drill of ['500', 'SLOW', '', 'slow, slow', '429,503']) {
    const refused = await ask(drill)
    t.equal(refused.status, 400, drill)
    for (const known of drills) t.ok(detailOf(refused).includes(known), known)
  }
  t.equal(backend.requests.length, 0)
})

t.test('two headers with drills are refused', async (t) => {
  const { backend, ask } = await rig(t)
  const refused = await ask('slow', ['sandbox-drill: slow'])
  t.equal(refused.status, 400)
  t.match(detailOf(refused), /sandbox-drill only once/)
  t.equal(backend.requests.length, 0)
})

t.test('a drill needs what a call needs: key, path and subscription', async (t) => {
  const { edge, ask } = await rig(t)
  const fields = { 'sandbox-drill': '429' }
  const status = async (path: string, headers: Record<string, string>) =>
    (await fetch(edge.url + path, { headers })).status
  t.equal(await status('/v1.7.0/accounts', fields), 401)
  t.equal(await status('/v1.7.0/accounts', { ...fields, 'x-api-key': 'tg_other' }), 401)
  t.equal(await status('/v1.7.0/nothing', { ...fields, 'x-api-key': testKey }), 404)
  t.equal((await ask('429')).status, 429)
})

t.test('the drill consent-expired is refused for an operation that takes no consent', async (t) => {
  const { edge, backend, ask } = await rig(t)
  const answer = await fetch(`${edge.url}/v1.7.0/consents`, {
    method: 'POST',
    body: '{}',
    headers: { 'x-api-key': testKey, 'sandbox-drill': 'consent-expired' },
  })
  t.equal(answer.status, 400)
  t.match(await answer.json(), { code: 'HEADERS_INVALID', detail: /takes a consent/ })
  t.equal((await ask('consent-expired')).status, 400, 'nor does a call that names no consent')
  t.equal(backend.requests.length, 0)
})

t.test('the drill consent-expired needs a consent that reaches the bank', async (t) => {
  const { backend, ask } = await rig(t)
  for (const connection of ['close, Consent-ID', 'consent-id', 'Keep-Alive,CONSENT-ID']) {
    const refused = await ask('consent-expired', [...consent, `Connection: ${connection}`])
    t.equal(refused.status, 400, connection)
    t.match(detailOf(refused), /takes a consent/)
  }
  t.equal(backend.requests.length, 0)
})

t.test(
  'no drill is counted: not by the plan, its rehearsal, metrics, usage or availability',
  async (t) => {
    const told: string[] = []
    const records: unknown[] = []
    const { backend, edge, ask } = await rig(t, {
      plan: { limits: three, rehearsal },
      backendLimits: { backendFirstByteMs: 100 },
      availability: { ended: () => void told.push('availability') },
      recorder: {
        ended: (call) => void records.push(call.drill),
        rehearsed: () => void told.push('rehearsed'),
      },
    })
    const before = await ask()
    t.equal(before.headers.get('ratelimit'), '"default";r=2;t=2397')
    t.same(told.splice(0), ['rehearsed', 'availability'])
    const metrics = await counted(edge)
    for (const drill of drills) await ask(drill, consent)
    await until('each drill is over', () => records.length === 1 + drills.length)
    t.same(told, [])
    t.same(await counted(edge), metrics)
    t.same(new Set(records), new Set([undefined, ...drills]))
    for (const drill of drills) {
      t.match(await edge.metrics(), `gateway_drills_total{drill="${drill}"} 1\n`)
    }
    t.equal((await ask()).headers.get('ratelimit'), '"default";r=1;t=2397')
    // 429, 503 and 504 reach no bank.
    t.equal(backend.requests.length, 2 + drills.length - 3)
  },
)

t.test('a drill that reaches the bank needs a call left', async (t) => {
  const { backend, ask } = await rig(t, { plan: { limits: three } })
  for (let call = 1; call <= 3; call += 1) await ask()
  t.equal((await ask('truncated')).status, 429)
  t.equal(backend.requests.length, 3)
})

t.test('the bank never gets the header, whatever a setting lets through', async (t) => {
  const { backend, ask } = await rig(t, {
    backendLimits: { backendFirstByteMs: 100 },
    forwardHeaders: ['sandbox-drill'],
  })
  for (const drill of drills) await ask(drill, consent)
  t.equal(backend.requests.length, drills.length - 3)
  t.notOk(backend.requests.some(({ headers }) => headers.has('sandbox-drill')))
})

t.test(
  'only a call with the drill consent-expired carries it in its signed identity',
  async (t) => {
    const { backend, ask } = await rig(t)
    const claims = ({ requests }: RawBackend) =>
      requests.map(({ headers }) => {
        const [, payload = ''] = headers.get('gateway-identity')?.[0]?.split('.') ?? []
        return JSON.parse(Buffer.from(payload, 'base64url').toString()).drill
      })
    await ask('consent-expired', consent)
    await ask()
    await ask('truncated')
    await ask('consent-expired', consent)
    t.same(claims(backend), ['consent-expired', undefined, undefined, 'consent-expired'])
  },
)

t.test('the 61st drill of a developer within a minute is refused; calls go on', async (t) => {
  const { ask } = await rig(t)
  const sixty = await Promise.all(Array.from({ length: 60 }, () => ask('503')))
  t.ok(sixty.every(({ status }) => status === 503))
  const refused = await ask('503')
  t.equal(refused.status, 429)
  t.match(refused.body, '"code":"ATTEMPTS_EXCEEDED"')
  t.match(refused.headers.get('retry-after'), /^(?:[1-9]|[1-5]\d|60)$/)
  t.equal((await ask()).status, 200)
})

t.test('slow drills take places of their application, as calls do', async (t) => {
  const { ask } = await rig(t, {
    backendLimits: { backendFirstByteMs: 1_000 },
    callLimits: { callsPerApplication: 2 },
  })
  const answers = await Promise.all([ask('slow'), ask('slow'), ask('slow')])
  t.same(answers.map(({ status }) => status).toSorted(), [200, 200, 429])
})

t.test(
  'a page of the portal may send the header where there is a sandbox, and only there',
  async (t) => {
    const preflight = async (hasDrills: boolean) => {
      const { edge } = await rig(t, { hasDrills })
      const answer = await fetch(`${edge.url}/v1.7.0/accounts`, {
        method: 'OPTIONS',
        headers: { origin: 'https://portal.example', 'access-control-request-method': 'GET' },
      })
      return answer.headers.get('access-control-allow-headers')?.split(', ')
    }
    t.ok((await preflight(true))?.includes('Sandbox-Drill'))
    t.notOk((await preflight(false))?.includes('Sandbox-Drill'))
  },
)

t.test(
  'the bank answers the drill consent-expired as it answers for an expired consent, and changes nothing',
  async (t) => {
    const world = await interfaceWorld(t)
    const { clock, catalogue } = world
    const asked = async (psuId: string) => {
      const { body } = await world.call(t, {
        operation: 'createConsent',
        version: '1.7.0',
        headers: { 'psu-id': psuId, 'tpp-decoupled-preferred': 'true' },
        body: {
          access: { allPsd2: 'allAccounts' },
          recurringIndicator: true,
          validUntil: '2027-05-31',
          frequencyPerDay: 4,
          combinedServiceIndicator: false,
        },
      })
      clock.now += 2_000
      return String(body.consentId)
    }
    // One customer lets a consent expire at once, the other does not.
    const expired = await asked('310000039')
    const valid = await asked('305567661')
    const taking = [...catalogue.versions.values()].flatMap((published) =>
      published.operations.flatMap(({ id, declared }) =>
        drillsOf(declared).includes('consent-expired') ? [{ id, version: published.version }] : [],
      ),
    )
    t.equal(taking.length, 20)
    for (const { id: operation, version } of taking) {
      const call = async (consentId: string, drill?: string) => {
        const { headers, ...answer } = await world.call(t, {
          operation,
          version,
          path: {
            'account-id': requestId,
            transactionId: 'entry',
            'payment-product': 'fp',
          },
          headers: {
            'consent-id': consentId,
            'sandbox-drill': drill,
            'x-request-id': requestId,
            'psu-id': '305567661',
          },
          query: /Transactions$/.test(operation) ? 'bookingStatus=booked&dateFrom=2026-11-01' : '',
          ...(operation === 'initiatePayment' ? { body: payment } : {}),
        })
        const { date: _, ...fields } = headers
        return { ...answer, fields }
      }
      const real = await call(expired)
      t.match(
        real,
        { status: 401, body: { tppMessages: [{ code: 'CONSENT_EXPIRED' }] } },
        operation,
      )
      t.same(await call(valid, 'consent-expired'), real, `${version} ${operation}`)
    }
    const { status } = await world.call(t, {
      operation: 'listAccounts',
      version: '1.7.0',
      headers: { 'consent-id': valid },
    })
    t.equal(status, 200, 'the consent is as valid as before')
  },
)

// The tests below mostly wait, which they may do side by side.
t.jobs = 6

t.test('a plan that only observes answers the drill 429 and passes it to no bank', async (t) => {
  const { backend, ask } = await rig(t, {
    plan: { limits: three, mode: 'observe' },
    backendLimits: { backendFirstByteMs: 600 },
  })
  t.equal((await ask('429')).status, 429)
  t.equal((await ask('slow')).status, 200)
  t.equal(backend.requests.length, 1)
})

t.test('a refused drill is counted nowhere but as a refused drill', async (t) => {
  const told: string[] = []
  const records: unknown[] = []
  const options: Partial<TestEdgeOptions> = {
    availability: { ended: () => void told.push('availability') },
    recorder: { ended: (call) => void records.push(call.drill), rehearsed() {} },
  }
  const { edge, ask } = await rig(t, options)
  for (let drill = 1; drill <= 60; drill += 1) await ask('503')
  await until('each drill is over', () => records.splice(0, 60).length === 60)
  const metrics = await counted(edge)
  for (const drill of ['unheard-of', 'consent-expired', '503']) await ask(drill)
  await until('each drill is over', () => records.length === 3)
  t.same(records, ['refused', 'refused', 'refused'])
  t.same(told, [])
  t.same(await counted(edge), metrics)
  t.match(await edge.metrics(), 'gateway_drills_total{drill="refused"} 3\n')
  const { edge: other, ask: askOther } = await rig(t, { ...options, hasDrills: false })
  await askOther('503')
  t.match(
    await other.metrics(),
    /^gateway_requests_total\{.*HEADERS_INVALID.*\} 1$/m,
    'a gateway without a sandbox refuses a call',
  )
})

/** Calls made of three before Redis goes away. */
const windows = { untouched: 0, 'half-used': 1, 'used-up': 3 } as const

for (const onStoreOutage of ['local-share', 'allow', 'deny'] as const) {
  t.test(
    `a degraded drill has the octets of an answer while Redis is away (${onStoreOutage})`,
    { skip: redisMissing() },
    async (t) => {
      const redis = await startRedisServer()
      t.teardown(() => redis.stop())
      const counter = await testCounter(t, redis)
      const backend = await startRawBackend(t)
      const daily = [{ name: 'default', calls: 3, ...hourly, windowLength: 86_400 }]
      const { url } = await startEdge(t, {
        backendUrl: backend.url,
        counter,
        callers: new Map(Object.keys(windows).map((name) => [`tg_${name}`, callerOf(name)])),
        plan: { limits: daily, onStoreOutage },
      })
      const calls = Object.entries(windows).flatMap(([name, used]) =>
        [false, true].map((expects) => ({ name, used, expects })),
      )
      /** One operation without a body, another one with a body that its client announces. */
      const ask = ({ name, expects }: (typeof calls)[number], drill?: string) =>
        sendRaw(
          url,
          rawRequest(
            expects ? 'POST /v1.7.0/consents HTTP/1.1' : get,
            [
              `X-API-Key: tg_${name}`,
              `X-Request-ID: ${requestId}`,
              ...(expects
                ? ['Content-Type: application/json', 'Content-Length: 2', 'Expect: 100-continue']
                : []),
              ...(drill === undefined ? [] : [`Sandbox-Drill: ${drill}`]),
            ],
            expects ? '{}' : '',
          ),
        )
      for (const call of calls) {
        for (let made = 0; made < call.used; made += 1) await ask(call)
      }
      const drilled: RawAnswer[] = []
      for (const call of calls) {
        for (let drill = 1; drill <= 4; drill += 1) await ask(call, 'degraded')
        drilled.push(await ask(call, 'degraded'))
      }
      await redis.kill()
      await until('Redis is away', () => !counter.isUp())
      for (const [at, call] of calls.entries()) {
        const real = await ask(call)
        const about = `${call.name}${call.expects ? ', with 100 Continue' : ''}`
        const status = onStoreOutage === 'deny' ? 503 : 200
        t.equal(lastStatus(real), call.used === 3 ? 429 : status, about)
        t.equal(/^RateLimit:/m.test(real.text), call.used === 3, about)
        const drill = drilled[at]
        t.same(drill && withoutSeconds(drill), withoutSeconds(real), about)
      }
      for (const drill of ['429', 'degraded', 'slow']) {
        const unread = await ask({ name: 'untouched', used: 0, expects: false }, drill)
        t.equal(unread.status, 503, 'a drill whose limits cannot be read is no call')
        t.match(unread.body, '"code":"COUNTERS_UNAVAILABLE"')
      }
    },
  )
}

/** The status after any 100 Continue. */
function lastStatus({ text }: RawAnswer): number {
  return Number(text.match(/^HTTP\/1\.1 (?!100)(\d+)/m)?.[1])
}

/** All octets but for the seconds left, which go by while Redis stops; `resetsAt` in a body stays. */
function withoutSeconds(answer: RawAnswer): unknown {
  const text = answer.text.replace(/(;t=|^Retry-After: |^X-RateLimit-Reset: )\d+/gim, '$1left')
  return octets({ ...answer, text })
}
