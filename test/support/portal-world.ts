import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { readDataFolderSecret } from '../../src/platform/database/data-folder.ts'
import { createOptOuts } from '../../src/portal/mail/opt-out.ts'
import { derivePortalSecrets } from '../../src/portal/sealing/portal-secrets.ts'
import { noDurations } from '../../src/registry/usage/duration-buckets.ts'
import { type BesidePortal, besidePortal, type SignedIn } from './portal-client.ts'
import { type RunningTollgate, runTollgate, type TestPlan, testConfigDir } from './tollgate.ts'
import { until } from './until.ts'

/** The role that views a page. */
export type Viewer = 'visitor' | 'newcomer' | 'developer' | 'operator'

/** A running Tollgate with made-up developers, applications and calls, for looking at its pages. */
export interface PortalWorld {
  readonly tollgate: RunningTollgate
  readonly beside: BesidePortal
  /** Every role except the visitor. */
  readonly viewers: Readonly<Record<Exclude<Viewer, 'visitor'>, SignedIn>>
  /** Ids of the developer's applications. */
  readonly applications: {
    readonly busy: string
    readonly fresh: string
    readonly suspended: string
  }
  /** Token of the link by which a new operator adds a second factor. */
  readonly enrolment: string
  /** Token of the link that ends the developer's emails about limits. */
  readonly optOut: string
  /** X-Request-ID of a call of the busy application that was refused. */
  readonly refusedCall: string
  /** A key of the busy application that works. */
  readonly key: string
}

/** A small limit that is soon reached, in a window that does not end meanwhile. */
const smallPlan: TestPlan = { calls: 20, window: 'P365D' }

/** Starts it; it ends with the test. */
export async function startPortalWorld(
  t: Test,
  plan: TestPlan = smallPlan,
  configDir: string = testConfigDir(t, plan),
): Promise<PortalWorld> {
  const tollgate = await runTollgate(t, { env: { CONFIG_DIR: configDir } })
  const beside = await besidePortal(t, tollgate)
  const { stores } = beside
  const operator = await beside.signIn({
    isOperator: true,
    name: 'Olga Navon',
    email: 'olga.navon@bank.example',
  })
  const developer = await beside.signIn({ name: 'Ada Lovelace', email: 'ada@lovelace.example' })
  const newcomer = await beside.signIn({ name: 'Grace Hopper', email: 'grace@hopper.example' })
  for (const [name, email] of otherDevelopers) {
    await stores.developers.create({ name, email, by: 'operator:demo' })
  }
  await leaveTraces(beside)
  const by = 'operator:demo'
  const { id: enrolling } = await stores.developers.create({
    name: 'Omer Shalev',
    email: 'omer.shalev@bank.example',
    isOperator: true,
    by,
  })
  const enrolment = await stores.factors.issueEnrolment({ developerId: enrolling, by })

  const busy = await newApplication(developer, 'Budget planner')
  for (const [api, version] of [
    ['xs2a', '1.7.0'],
    ['xs2a', '1.6.0'],
    ['mandate', '1.0.0'],
  ]) {
    await developer.send('POST', `${busy}/subscriptions`, { api, version, plan: 'default' })
  }
  const { body: production } = await developer.send('POST', `${busy}/keys`, { name: 'Production' })
  const { body: staging } = await developer.send('POST', `${busy}/keys`, { name: 'Staging' })
  const { body: lost } = await developer.send('POST', `${busy}/keys`, { name: 'Laptop (lost)' })
  await developer.send('POST', `${busy}/keys/${staging.id}/rotate`, { overlapSeconds: 86_400 })
  await developer.send('DELETE', `${busy}/keys/${lost.id}`)

  const suspended = await newApplication(developer, 'Rent collector')
  await operator.send('POST', `/api/operator${suspended.slice(4)}/suspend`)
  await newApplication(
    developer,
    'A name given without thinking about widths, WithAWordThatIsLongerThanAnyScreenOfAPhone',
  )
  const fresh = await newApplication(newcomer, 'Fresh idea')
  await operator.send('POST', `/api/operator${busy.slice(4)}/overrides`, {
    api: 'xs2a',
    version: '1.6.0',
    limit: 'default',
    calls: 500,
    reason: 'Move to 1.7.0 needs both versions until the end of the quarter',
    expiresAt: new Date(Date.now() + 30 * 86_400_000).toISOString(),
  })

  await askForCalls(developer, operator, busy)

  const refusedCall = await makeCalls(tollgate, production.key, plan.calls)
  await writeHistory(beside, idOf(busy))
  await until('the refused call has a record', async () => {
    const { body } = await developer.send('GET', `${busy}/calls/${refusedCall}`)
    return body.items.length > 0
  })
  return {
    tollgate,
    beside,
    viewers: { newcomer, developer, operator },
    applications: { busy: idOf(busy), fresh: idOf(fresh), suspended: idOf(suspended) },
    enrolment: enrolment ?? '',
    optOut: await optOutOf(tollgate, developer.developer.id),
    refusedCall,
    key: production.key,
  }
}

/** The same with the brand of a bank, whose terms the developer has accepted. */
async function startBrandedWorld(t: Test, plan?: TestPlan): Promise<PortalWorld> {
  const configDir = testConfigDir(t, plan ?? smallPlan)
  const brand = join(import.meta.dirname, 'brand')
  cpSync(brand, join(configDir, 'brand'), { recursive: true })
  cpSync(join(brand, 'brand.yaml'), join(configDir, 'brand.yaml'))
  const world = await startPortalWorld(t, plan, configDir)
  const { send } = world.viewers.developer
  await send('PUT', '/api/session/developer/terms', { version: '2026-11' })
  return world
}

/** Returns the portal for a state, with or without a brand. Starts it at the first request. */
export function portalWorlds(
  t: Test,
  plan?: TestPlan,
): (state: { readonly isBranded?: boolean }) => Promise<PortalWorld> {
  let plain: Promise<PortalWorld> | undefined
  let branded: Promise<PortalWorld> | undefined
  return ({ isBranded }) => {
    if (isBranded) {
      branded ??= startBrandedWorld(t, plan)
      return branded
    }
    plain ??= startPortalWorld(t, plan)
    return plain
  }
}

async function optOutOf({ dataDir }: RunningTollgate, developerId: string): Promise<string> {
  const sessionSecret = await readDataFolderSecret(dataDir, 'session-secret')
  const { optOut } = derivePortalSecrets(() => sessionSecret ?? '')
  return createOptOuts({ key: optOut }).sign({ developerId, mail: 'limits' })
}

const otherDevelopers = [
  ['Avital Regev', 'avital@regev.example'],
  ['Yonatan Bar-Lev', 'yonatan@barlev.example'],
  ['Mei Lin', 'mei@lin.example'],
] as const

/** One of them waits for approval, one is suspended. */
async function leaveTraces({ db, stores }: BesidePortal): Promise<void> {
  await db
    .updateTable('developers')
    .set({ approved_at: null })
    .where('email', '=', 'mei@lin.example')
    .execute()
  const { id } = await db
    .selectFrom('developers')
    .select('id')
    .where('email', '=', 'yonatan@barlev.example')
    .executeTakeFirstOrThrow()
  await stores.developers.suspend({ id, by: 'operator:demo' })
}

/** An application's requests for more calls: one declined by an operator, one waiting. */
async function askForCalls({ send }: SignedIn, operator: SignedIn, application: string) {
  const ask = (wanted: object) =>
    send('POST', `${application}/limit-requests`, { limit: 'default', ...wanted })
  const { body } = await ask({
    api: 'mandate',
    version: '1.0.0',
    calls: 100_000,
    reason: 'We might need it one day',
  })
  await operator.send('POST', `/api/operator/limit-requests/${body.id}/decline`, {
    reason: 'Please ask again when you know how many mandates you create in an hour',
  })
  await ask({
    api: 'xs2a',
    version: '1.7.0',
    calls: 400,
    wantedUntil: new Date(Date.now() + 30 * 86_400_000).toISOString(),
    reason: 'Month end: we read the balances of 300 customers each hour',
  })
}

/** @returns its path in the JSON API */
async function newApplication({ send }: SignedIn, name: string): Promise<string> {
  const { body } = await send('POST', '/api/applications', { name })
  return `/api/applications/${body.id}`
}

function idOf(path: string): string {
  return path.split('/').at(-1) ?? ''
}

/**
 * Uses up the limit of one operation of 1.7.0, most of another's, and a little of 1.6.0's.
 *
 * @returns the X-Request-ID of the first call above the limit
 */
async function makeCalls({ urls }: RunningTollgate, key: string, limit: number): Promise<string> {
  async function call(method: string, path: string, body?: string) {
    const requestId = randomUUID()
    const answer = await fetch(`${urls.gateway}${path}`, {
      method,
      headers: {
        'x-api-key': key,
        'x-request-id': requestId,
        'psu-ip-address': '192.0.2.44',
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body }),
    })
    return { requestId, text: await answer.text() }
  }
  for (let made = 0; made < 6; made += 1) await call('POST', '/v1.6.0/consents', consent)
  // 1.7.0 does not have this one.
  const authorisation = `/v1.6.0/payments/masav/${randomUUID()}/authorisations/${randomUUID()}`
  for (let made = 0; made < 4; made += 1) await call('GET', authorisation)
  let consentId = ''
  for (let made = 0; made < Math.ceil(limit * 0.85); made += 1) {
    const { text } = await call('POST', '/v1.7.0/consents', consent)
    consentId = JSON.parse(text).consentId
  }
  const path = `/v1.7.0/consents/${consentId}/status`
  for (let made = 0; made < limit; made += 1) await call('GET', path)
  return (await call('GET', path)).requestId
}

const account = [{ iban: 'IL030205710000000200285' }]
const consent = JSON.stringify({
  access: { accounts: account, balances: account, transactions: account },
  recurringIndicator: true,
  validUntil: new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10),
  frequencyPerDay: 4,
  combinedServiceIndicator: false,
})

/** Hours of the last day and days of the last month, as gateways write them, with a varying number of calls. */
async function writeHistory({ db }: BesidePortal, applicationId: string): Promise<void> {
  const hour = 3_600_000
  const thisHour = Math.floor(Date.now() / hour) * hour
  const today = Math.floor(Date.now() / (24 * hour)) * 24 * hour
  // As many calls as the plan of the pictures allows in an hour, and refusals only beyond them.
  const perHour = 100
  const row = (at: number, index: number, scale: number) => {
    const isFull = index % 5 === 0
    const isList = index % 3 !== 0
    const admitted = scale * (isFull ? perHour : Math.round(55 + 40 * Math.sin(index / 3.8)))
    const refused = isFull ? scale * 12 : 0
    const errors = index % 11 === 0 ? scale * 4 : 0
    const clientErrors = index % 4 === 0 ? scale * 3 : 0
    // Most consents take about 9 ms and most lists about 7 ms; a few take 41 or 91 ms.
    const [slow, slowest] = [scale * (isList ? 4 : 8), scale]
    return {
      application_id: applicationId,
      at: new Date(at),
      api: 'xs2a',
      version: '1.7.0',
      operation: isList ? 'listAccounts' : 'createConsent',
      admitted,
      refused,
      refused_by_limit: refused,
      errors,
      client_errors: clientErrors,
      duration_ms_sum: scale * 960,
      duration_ms_max: 95,
      durations: noDurations()
        .with(isList ? 6 : 7, admitted - slow - slowest)
        .with(11, slow)
        .with(13, slowest),
      answered_2xx: admitted - errors - clientErrors,
      answered_4xx: clientErrors,
      answered_429: refused,
      answered_5xx: errors,
    }
  }
  await db
    .insertInto('usage_hours')
    .values(Array.from({ length: 23 }, (_, ago) => row(thisHour - (ago + 1) * hour, ago, 1)))
    .execute()
  await db
    .insertInto('usage_days')
    .values(Array.from({ length: 29 }, (_, ago) => row(today - (ago + 1) * 24 * hour, ago, 10)))
    .execute()
}
