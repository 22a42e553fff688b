import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { createAuthority } from '../support/authority.ts'
import { besidePortal, type PortalAnswer, type Send } from '../support/portal-client.ts'
import { runTollgate } from '../support/tollgate.ts'

const tollgate = await runTollgate(t)
const beside = await besidePortal(t, tollgate)
const { stores } = beside

/** Ids of things that belong to one developer. */
interface Things {
  readonly id: string
  readonly subscriptionId: string
  readonly keyId: string
  readonly certificateId: string
  readonly overrideId: string
  readonly deliveryId: string
  readonly limitRequestId: string
  readonly requestId: string
}

/** What a request needs besides its path. */
interface Request {
  readonly query?: string
  readonly body?: (unique: string) => unknown
}

interface Call extends Request {
  /**
   * The permitted caller: anyone, or a signed-in developer about themselves
   * (`self`), of the owner of the application in the path (`owner`), of an
   * operator.
   */
  readonly of: 'anyone' | 'self' | 'owner' | 'operator'
  /** Answered to those. */
  readonly status: number
}

const name = (unique: string) => ({ name: unique })
const password = 'quiet lamp under nine oaks'
/** For any use. */
const { pem } = createAuthority(t, { extensions: ['keyUsage = digitalSignature'] })
const noToken = 'A'.repeat(43)
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

/** Every call of the API by its operationId. One that is missing here fails the first test. */
const calls: Readonly<Record<string, Call>> = {
  listApis: { of: 'anyone', status: 200 },
  getFrontPage: { of: 'anyone', status: 200 },
  getApiDocument: { of: 'anyone', status: 200 },
  getApiOperation: { of: 'anyone', status: 200 },
  compareVersions: { of: 'anyone', status: 200, query: 'from=1.6.0&to=1.7.0' },
  listGuides: { of: 'anyone', status: 200 },
  getGuide: { of: 'anyone', status: 404 },
  getSearchIndex: { of: 'anyone', status: 200 },
  getPortal: { of: 'anyone', status: 200 },
  getGateway: { of: 'anyone', status: 200 },
  getOpenApi: { of: 'anyone', status: 200 },
  getSandbox: { of: 'anyone', status: 200 },
  listMails: { of: 'anyone', status: 200 },

  signUp: { of: 'anyone', status: 202, body: (u) => ({ email: `${u}@example.com`, name: u }) },
  verifySignUp: { of: 'anyone', status: 400, body: () => ({ token: noToken, password }) },
  requestPasswordReset: {
    of: 'anyone',
    status: 202,
    body: (u) => ({ email: `${u}@example.com` }),
  },
  confirmPasswordReset: { of: 'anyone', status: 400, body: () => ({ token: noToken, password }) },
  confirmEmailChange: { of: 'anyone', status: 400, body: () => ({ token: noToken }) },
  optOutOfMails: { of: 'anyone', status: 400, body: () => ({ token: noToken }) },
  lookUpOptOut: { of: 'anyone', status: 400, body: () => ({ token: noToken }) },
  optOutByMailProvider: { of: 'anyone', status: 400 },
  openOptOut: { of: 'anyone', status: 303 },
  signIn: { of: 'anyone', status: 401, body: (u) => ({ email: `${u}@example.com`, password }) },
  finishSignIn: { of: 'anyone', status: 400, body: () => ({ token: noToken, code: '123456' }) },
  startEnrolment: { of: 'anyone', status: 400, body: () => ({ token: noToken }) },
  confirmEnrolment: {
    of: 'anyone',
    status: 400,
    body: () => ({ token: noToken, challenge: noToken, password, code: '123456' }),
  },
  signOut: { of: 'anyone', status: 204 },
  // This portal has no provider.
  startProviderSignIn: { of: 'anyone', status: 404, body: () => ({}) },

  getSession: { of: 'self', status: 200 },
  listSessions: { of: 'self', status: 200 },
  endSession: { of: 'self', status: 404 },
  signOutEverywhere: { of: 'self', status: 204 },
  challengeSession: { of: 'self', status: 200 },
  startProviderProof: { of: 'self', status: 404, body: () => ({}) },
  proveSession: { of: 'self', status: 401, body: () => ({ password }) },
  getFactors: { of: 'self', status: 200 },
  offerTotp: { of: 'self', status: 200 },
  confirmTotp: { of: 'self', status: 400, body: () => ({ token: noToken, code: '123456' }) },
  removeTotp: { of: 'self', status: 404 },
  offerPasskey: { of: 'self', status: 200 },
  confirmPasskey: {
    of: 'self',
    status: 400,
    body: (u) => ({ token: noToken, name: u, passkey: { id: u, response: {} } }),
  },
  removePasskey: { of: 'self', status: 404 },
  replaceRecoveryCodes: { of: 'self', status: 404 },
  changeProfile: { of: 'self', status: 401, body: (u) => ({ currentPassword: password, name: u }) },
  changeName: { of: 'self', status: 200, body: name },
  acceptTerms: { of: 'self', status: 404, body: () => ({ version: '2026-11' }) },
  exportOwnData: { of: 'self', status: 200 },
  chooseLanguage: { of: 'self', status: 200, body: () => ({ language: 'he' }) },
  chooseMails: {
    of: 'self',
    status: 200,
    body: () => ({ limits: false, deprecations: false, expiry: false }),
  },
  deleteAccount: { of: 'self', status: 401, body: () => ({ currentPassword: password }) },
  summarizeApplications: { of: 'self', status: 200 },
  listApplications: { of: 'self', status: 200 },
  createApplication: { of: 'self', status: 201, body: name },

  getApplication: { of: 'owner', status: 200 },
  changeApplication: { of: 'owner', status: 200, body: name },
  deleteApplication: { of: 'owner', status: 204 },
  listSubscriptions: { of: 'owner', status: 200 },
  subscribe: {
    of: 'owner',
    status: 201,
    body: () => ({ api: 'xs2a', version: '1.7.0', plan: 'default' }),
  },
  changePlan: { of: 'owner', status: 200, body: () => ({ plan: 'default' }) },
  unsubscribe: { of: 'owner', status: 204 },
  previewMove: { of: 'owner', status: 200, query: 'to=1.7.0' },
  listLimitRequests: { of: 'owner', status: 200 },
  requestLimit: {
    of: 'owner',
    status: 201,
    body: (u) => ({
      api: 'xs2a',
      version: '1.6.0',
      limit: 'default',
      calls: 2_000_000,
      reason: u,
    }),
  },
  withdrawLimitRequest: { of: 'owner', status: 204 },
  moveSubscription: { of: 'owner', status: 200, body: () => ({ to: '1.7.0' }) },
  listKeys: { of: 'owner', status: 200 },
  issueKey: { of: 'owner', status: 201, body: name },
  rotateKey: { of: 'owner', status: 201, body: () => ({ overlapSeconds: 60 }) },
  changeKey: { of: 'owner', status: 200, body: () => ({ allowedAddresses: [] }) },
  revokeKey: { of: 'owner', status: 204 },
  // The key decides, not the session.
  rotateOwnKey: { of: 'anyone', status: 401 },
  getAlerts: { of: 'owner', status: 200 },
  chooseAlerts: {
    of: 'owner',
    status: 200,
    body: () => ({ mails: { limits: false, expiry: true, deprecations: false } }),
  },
  setWebhook: { of: 'owner', status: 200, body: (u) => ({ url: `https://${u}.example.com/` }) },
  removeWebhook: { of: 'owner', status: 204 },
  testWebhook: { of: 'owner', status: 201 },
  listDeliveries: { of: 'owner', status: 200 },
  redeliver: { of: 'owner', status: 200 },
  listCertificates: { of: 'owner', status: 200 },
  addCertificate: {
    of: 'owner',
    status: 201,
    body: (u) => ({ use: 'tls', name: u, certificate: pem }),
  },
  removeCertificate: { of: 'owner', status: 204 },
  makeReadyConsent: { of: 'owner', status: 201 },
  issuePageKey: { of: 'owner', status: 201 },
  makeTestCertificates: { of: 'owner', status: 201, body: () => ({ roles: ['PSP_AI'] }) },
  listApprovedConsents: { of: 'owner', status: 200 },
  getUsage: { of: 'owner', status: 200 },
  getUsageHistory: { of: 'owner', status: 200 },
  getUsageHistoryFile: { of: 'owner', status: 200 },
  listCalls: { of: 'owner', status: 200 },
  getCallsById: { of: 'owner', status: 200 },
  findCall: { of: 'self', status: 200 },

  listDevelopers: { of: 'operator', status: 200 },
  getDeveloper: { of: 'operator', status: 200 },
  approveDeveloper: { of: 'operator', status: 200 },
  suspendDeveloper: { of: 'operator', status: 200 },
  resumeDeveloper: { of: 'operator', status: 200 },
  listAllApplications: { of: 'operator', status: 200 },
  getAnyApplication: { of: 'operator', status: 200 },
  listAnyKeys: { of: 'operator', status: 200 },
  findAnyCall: { of: 'operator', status: 200 },
  getAnyCallsById: { of: 'operator', status: 200 },
  getWaiting: { of: 'operator', status: 200 },
  suspendApplication: { of: 'operator', status: 200 },
  resumeApplication: { of: 'operator', status: 200 },
  listOverrides: { of: 'operator', status: 200 },
  createOverride: {
    of: 'operator',
    status: 201,
    body: (u) => ({
      api: 'xs2a',
      version: '1.7.0',
      limit: 'default',
      calls: 5,
      reason: u,
      expiresAt: inAnHour(),
    }),
  },
  listAllLimitRequests: { of: 'operator', status: 200 },
  grantLimitRequest: {
    of: 'operator',
    status: 200,
    body: () => ({ calls: 9, until: inAnHour() }),
  },
  declineLimitRequest: { of: 'operator', status: 200, body: (u) => ({ reason: u }) },
  endOverride: { of: 'operator', status: 204 },
  listRefusals: { of: 'operator', status: 200 },
  listTopApplications: { of: 'operator', status: 200 },
  getAvailability: { of: 'operator', status: 200 },
  getAvailabilityFile: { of: 'operator', status: 200 },
  getSignUpMode: { of: 'operator', status: 200 },
  setSignUpMode: { of: 'operator', status: 200, body: () => ({ mode: 'open' }) },
  listAudit: { of: 'operator', status: 200 },
  getAuditFile: { of: 'operator', status: 200 },
  getOperatorOverview: { of: 'operator', status: 200 },
  listVersionCallers: { of: 'operator', status: 200 },
  listPlanUse: { of: 'operator', status: 200 },
  listSecurityEvents: { of: 'operator', status: 200 },
}

/** Ids in a path that the application does not own are indistinguishable from unknown ones. */
const nested = [
  'subscriptionId',
  'keyId',
  'certificateId',
  'overrideId',
  'deliveryId',
  'limitRequestId',
  'requestId',
] as const

interface Described {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly summary: unknown
  readonly tags: unknown
  readonly security: readonly unknown[]
  readonly responses: Readonly<Record<string, unknown>>
  readonly isOperators: boolean
}

const document = (await beside.anonymous('GET', '/api/openapi.json')).body
const described: readonly Described[] = Object.entries<Record<string, Omit<Described, 'path'>>>(
  document.paths,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    path,
    method: method.toUpperCase(),
    isOperators: path.startsWith('/api/operator/'),
  })),
)

const owner = await beside.signIn()
const other = await beside.signIn()
const operator = await beside.signIn({ isOperator: true })

let unique = 0

/** Something of everything, new for each call: many of them change it. */
async function newThings(developerId: string): Promise<Things> {
  const by = 'test'
  const { id } = await stores.applications.create({ developerId, name: `m${++unique}`, by })
  const application = { applicationId: id, by }
  const subscription = await stores.subscriptions.add({
    ...application,
    api: 'xs2a',
    version: '1.6.0',
    plan: 'default',
  })
  const override = await stores.overrides.create({
    ...application,
    api: 'mandate',
    version: '1.0.0',
    limit: 'default',
    calls: 7,
    reason: 'a test',
    expiresAt: new Date(Date.now() + 3_600_000),
  })
  await stores.subscriptions.add({
    ...application,
    api: 'mandate',
    version: '1.0.0',
    plan: 'default',
  })
  const limitRequest = await stores.limitRequests.create({
    ...application,
    api: 'mandate',
    version: '1.0.0',
    limit: 'default',
    calls: 9,
    wantedUntil: null,
    reason: 'a test',
    outbox: { post: async () => undefined },
  })
  const certificate = await stores.certificates.add({
    ...application,
    use: 'signing',
    name: 'seal',
    certificate: Buffer.from(pem),
  })
  const { applicationId } = application
  // No such name exists.
  const webhook = { url: 'https://webhook.invalid/', sealedSecret: Buffer.alloc(32) }
  await stores.alerts.setWebhook({ ...application, ...webhook })
  const message = { type: 'test', body: '{}' }
  const delivery = await stores.deliveries.add({ applicationId, event: () => message })
  return {
    id,
    deliveryId: delivery.id,
    subscriptionId: subscription.id,
    keyId: (await stores.keys.issue(application)).id,
    certificateId: certificate.id,
    overrideId: override.id,
    limitRequestId: limitRequest.id,
    requestId: randomUUID(),
  }
}

// Calls that are refused change nothing, so they can share these.
const own = await newThings(owner.developer.id)
const sibling = await newThings(owner.developer.id)
const foreign = await newThings(other.developer.id)

function pathOf({ path }: Described, things: Partial<Things>): string {
  const values: Readonly<Record<string, string | undefined>> = {
    api: 'xs2a',
    version: '1.7.0',
    operation: 'listAccounts',
    token: noToken,
    ...things,
  }
  return path.replace(/\{(\w+)\}/g, (_, parameter: string) => values[parameter] ?? '')
}

function ask(
  send: Send,
  operation: Described,
  things: Partial<Things>,
  headers?: Readonly<Record<string, string>>,
): Promise<PortalAnswer> {
  const { query, body } = calls[operation.operationId] ?? {}
  const path = pathOf(operation, things) + (query === undefined ? '' : `?${query}`)
  return send(operation.method, path, body?.(`u${++unique}`), headers)
}

/** The answer without what differs between any two. */
function withoutInstance({ status, body, headers }: PortalAnswer): object {
  const { date: _, 'x-request-id': __, 'content-security-policy': policy = '', ...others } = headers
  const { instance: ___, ...problem } = body
  return { status, problem, headers: others, policy: policy.replaceAll(/'nonce-[^']+'/g, '') }
}

/** Everything a change leaves behind. */
async function traces(): Promise<string> {
  const counts = await beside.db
    .selectNoFrom(({ selectFrom, fn }) => [
      selectFrom('audit')
        .select(fn.countAll<number>().as('n'))
        // The gateway writes it, some time after a test has deleted an application.
        .where('action', '!=', 'application.end-at-bank')
        .as('audit'),
      selectFrom('changes').select(fn.countAll<number>().as('n')).as('changes'),
      selectFrom('sessions').select(fn.countAll<number>().as('n')).as('sessions'),
      selectFrom('mail_tokens').select(fn.countAll<number>().as('n')).as('tokens'),
    ])
    .executeTakeFirstOrThrow()
  return JSON.stringify(counts)
}

t.test('every call the portal describes is in this matrix, and the other way round', async (t) => {
  t.same(described.map(({ operationId }) => operationId).sort(), Object.keys(calls).sort())
})

t.test('every call is described: summary, group, answers, who may make it', async (t) => {
  for (const operation of described) {
    const { operationId, summary, tags, security, responses } = operation
    t.match({ summary, tags }, { summary: /^[A-Z].*[^.]$/, tags: [String] }, operationId)
    t.equal(security.length, calls[operationId]?.of === 'anyone' ? 0 : 1, operationId)
    t.ok(
      Object.keys(responses).some((status) => status < '400'),
      `${operationId} has an answer`,
    )
  }
})

t.test('the document names every object that a body or an answer contains', async (t) => {
  const folder = new URL('../../src/portal/api/schemas/', import.meta.url)
  const missing: string[] = []
  for (const file of readdirSync(folder)) {
    const exported: Record<string, unknown> = await import(new URL(file, folder).href)
    for (const [name, schema] of Object.entries(exported)) {
      const isObject = Reflect.get(Object(schema), 'type') === 'object'
      // A query appears as its parameters.
      if (isObject && !name.endsWith('Query') && !(name in document.components.schemas)) {
        missing.push(name)
      }
    }
  }
  t.same(missing, [])
})

t.test('the document of the API is valid', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tg-openapi-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'openapi.json')
  // Its servers are those of a test, which the linter takes for an oversight.
  const shown = { ...document, servers: [{ url: 'https://developer.bank.example' }] }
  writeFileSync(file, JSON.stringify(shown))
  const redocly = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'redocly')
  const config = join(import.meta.dirname, '..', '..', 'redocly.yaml')
  // Some calls take no input, so their caller makes no error; one leads to a page.
  const rules = ['operation-4xx-response', 'operation-2xx-response']
  const skipped = rules.flatMap((rule) => ['--skip-rule', rule])
  const args = ['lint', '--config', config, ...skipped, file]
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off' }
  const result = await promisify(execFile)(redocly, args, { env }).then(
    () => 'valid',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  )
  t.equal(result, 'valid')
})

for (const operation of described) {
  const call = calls[operation.operationId]
  if (call === undefined) continue
  const title = `${operation.method} ${operation.path}`
  const isRead = operation.method === 'GET'

  t.test(`${title}: each role gets its own answer`, async (t) => {
    const self = call.of === 'self' ? await beside.signIn() : owner
    const things = operation.path.includes('{') ? await newThings(owner.developer.id) : {}
    // Developers are what operators' calls name by their id.
    const named = operation.path.includes('/developers/') ? { id: other.developer.id } : things
    const allowed: Send = call.of === 'operator' ? operator.send : self.send

    const before = await traces()
    const refusals: (readonly [role: string, answer: PortalAnswer, status: number])[] = []
    if (call.of !== 'anyone') {
      refusals.push(['anonymous', await ask(beside.anonymous, operation, named), 401])
    }
    if (call.of === 'owner') {
      refusals.push(['other developer', await ask(other.send, operation, named), 404])
      refusals.push(['operator', await ask(operator.send, operation, named), 404])
    }
    if (call.of === 'operator') {
      refusals.push(['developer', await ask(owner.send, operation, named), 404])
    }
    if (!isRead) {
      for (const headers of [
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        { origin: 'null', 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://evil.example' },
      ]) {
        const answer = await ask(allowed, operation, named, headers)
        refusals.push([JSON.stringify(headers), answer, 403])
      }
    }
    for (const [role, answer, status] of refusals) {
      t.equal(answer.status, status, role)
      t.equal(answer.headers['content-type'], 'application/problem+json', role)
      t.equal(answer.headers['cache-control'], 'no-store', role)
      t.ok(String(status) in operation.responses, `${role}: ${status} is described`)
    }
    t.equal(await traces(), before, 'a refused request leaves nothing')

    const senders = call.of === 'anyone' ? [beside.anonymous, owner.send, operator.send] : [allowed]
    for (const send of senders) {
      // Signing out would end the sessions of the other tests.
      if (operation.operationId === 'signOut' && send !== beside.anonymous) continue
      const answer = await ask(send, operation, named)
      t.equal(answer.status, call.status, answer.text)
      t.ok(String(answer.status) in operation.responses, `${answer.status} is described`)
      t.notOk('access-control-allow-origin' in answer.headers)
      const isPublic = /^\/api\/(apis|front|guides$|search-index|openapi\.json)/.test(
        operation.path,
      )
      t.equal(answer.headers['cache-control'], isPublic ? 'public, max-age=60' : 'no-store')
    }
  })

  if (call.of === 'owner') {
    t.test(`${title}: foreign, unknown and malformed ids are answered alike`, async (t) => {
      const before = await traces()
      const reference = withoutInstance(
        await ask(owner.send, operation, { ...own, id: randomUUID() }),
      )
      t.match(reference, { status: 404, problem: { code: 'NOT_FOUND' } })
      const others: Partial<Things>[] = [
        foreign,
        { ...own, id: foreign.id },
        { ...foreign, id: randomUUID() },
        ...['x', '%00', own.id.toUpperCase(), 'x'.repeat(4000), "'", '..%2f', '%F0%9F%98%80'].map(
          (id) => ({ ...own, id }),
        ),
      ]
      for (const parameter of nested) {
        // Of a call id that is not known of an application there are no records: an empty list.
        if (!operation.path.includes(`{${parameter}}`) || parameter === 'requestId') continue
        for (const value of [
          sibling[parameter],
          foreign[parameter],
          parameter === 'keyId' ? 'zzzzzzzzzzzz' : randomUUID(),
          own.id,
          'x',
          '%00',
          'x'.repeat(100),
        ]) {
          others.push({ ...own, [parameter]: value })
        }
      }
      for (const things of others) {
        const answer = await ask(owner.send, operation, things)
        t.same(withoutInstance(answer), reference, JSON.stringify(things))
      }
      t.equal(await traces(), before, 'nothing changed')
    })
  }
}

t.test('a developer learns nothing of what operators can call', async (t) => {
  const nothing = withoutInstance(await owner.send('GET', '/api/operator/nothing-here'))
  t.match(nothing, { status: 404 })
  for (const operation of described.filter(({ isOperators }) => isOperators)) {
    const answer = await ask(owner.send, operation, own)
    t.same(withoutInstance(answer), nothing, operation.operationId)
  }
})
