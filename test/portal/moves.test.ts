import { randomUUID } from 'node:crypto'
import t from 'tap'
import { Pool } from 'undici'
import type { Operation, Plan } from '../../src/catalogue/catalogue.ts'
import type { MovePreview } from '../../src/portal/api/schemas/moves.ts'
import { type ReplayableCall, replayCalls } from '../../src/portal/replay/replay-calls.ts'
import { onboard } from '../../src/portal/stores/accounts/onboard.ts'
import { tollgate as runCommand } from '../support/cli.ts'
import { draw } from '../support/draw.ts'
import { besidePortal } from '../support/portal-client.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const catalogue = await publishedCatalogue()
const old = catalogue.versions.get('xs2a@1.6.0')
const young = catalogue.versions.get('xs2a@1.7.0')
if (old === undefined || young === undefined) throw new Error('not published')

const callsOfPlan = 12
const tollgate = await runTollgate(t, { plan: { calls: callsOfPlan, window: 'P365D' } })
const beside = await besidePortal(t, tollgate)
const { stores } = beside
const gateway = new Pool(tollgate.urls.gateway, { connections: 4 })
t.teardown(() => gateway.destroy())

/** A developer who is signed in, with an application subscribed to xs2a 1.6.0. */
async function newDeveloper(versions = ['1.6.0'], planOfOld = 'default') {
  const { developer, send } = await beside.signIn()
  const made = await onboard(stores, {
    email: developer.email,
    developerName: '',
    applicationName: 'mover',
    subscriptions: versions.map((version) => ({
      api: 'xs2a',
      version,
      plan: version === '1.6.0' ? planOfOld : 'default',
    })),
    by: 'test',
  })
  const subscriptions = `/api/applications/${made.applicationId}/subscriptions`
  const { items } = (await send('GET', subscriptions)).body
  const move = `${subscriptions}/${items[0].id}/move`
  return { ...made, send, subscriptions, subscriptionId: items[0].id as string, move }
}

interface Wanted {
  readonly operation: Operation
  readonly key: string
}

/**
 * Makes the calls one after the other under a version's prefix, and waits for their records.
 * @returns outcomes by operation and code
 */
async function make(applicationId: string, prefix: string, workload: readonly Wanted[]) {
  const operations = new Map<string, string>()
  for (const { operation, key } of workload) {
    const requestId = randomUUID()
    operations.set(requestId, operation.id)
    const path = `${prefix}${operation.template.replaceAll(/\{[^}]*\}/g, () => randomUUID())}`
    const headers = { 'x-api-key': key, 'x-request-id': requestId }
    const answer = await gateway.request({ method: operation.method, path, headers })
    await answer.body.dump()
  }
  const counts = new Map<string, number>()
  await until('every call has a record', async () => {
    counts.clear()
    const records = await stores.calls.list({ applicationId, limit: 1000 })
    const own = records.filter(({ requestId }) => operations.has(requestId))
    for (const { requestId, outcome } of own) add(counts, operations.get(requestId), outcome)
    return own.length === workload.length
  })
  return Object.fromEntries([...counts].toSorted())
}

function add(
  counts: Map<string, number>,
  operation: string | undefined,
  outcome: string,
  calls = 1,
): void {
  const name = `${operation} ${outcome}`
  if (calls > 0) counts.set(name, (counts.get(name) ?? 0) + calls)
}

function predictedBy({ replay }: MovePreview): Record<string, number> {
  const counts = new Map<string, number>()
  for (const { id, allowed, refusals } of replay.operations) {
    add(counts, id, 'forwarded', allowed)
    for (const { code, calls } of refusals) add(counts, id, code, calls)
  }
  return Object.fromEntries([...counts].toSorted())
}

t.test(
  'predicted refusals are the actual ones, for each operation of a random workload',
  async (t) => {
    const { applicationId, key, send, move, subscriptions } = await newDeveloper()
    // Another reason to refuse a call than its operation and its limit.
    const elsewhere = { name: 'elsewhere', allowedAddresses: ['203.0.113.9'] }
    const other = await send('POST', `/api/applications/${applicationId}/keys`, elsewhere)
    t.equal(other.status, 201)
    const any = (): Wanted => ({
      operation: old.operations[draw(old.operations.length)] as Operation,
      key: draw(10) === 0 ? other.body.key : key,
    })
    const gone = old.operations.filter(({ availableIn }) => !availableIn.includes('1.7.0'))
    const workload = [
      // Each operation at least once, one of them above its limit.
      ...old.operations.map((operation) => ({ operation, key })),
      ...Array.from({ length: callsOfPlan + 3 }, () => ({
        operation: old.operations[0] as Operation,
        key,
      })),
      ...Array.from({ length: 200 }, any),
    ]
    await make(applicationId, old.prefix, workload)

    const preview = await send('GET', `${move}?to=1.7.0`)
    t.equal(preview.status, 200)
    const { replay }: MovePreview = preview.body
    t.equal(replay.calls, workload.length)
    t.equal(replay.missing, workload.filter(({ operation }) => gone.includes(operation)).length)

    // Under the limit of the published plan, which is larger.
    const replayed = await runCommand(
      tollgate.commandEnv,
      'diff',
      'xs2a',
      '1.6.0',
      '1.7.0',
      '--replay',
      '--application',
      applicationId,
      '--json',
    )
    t.match(JSON.parse(replayed.stdout).replays, [
      { application: { name: 'mover' }, calls: replay.calls, missing: replay.missing },
    ])

    t.match(await send('POST', move, { to: '1.7.0' }), { status: 200, body: { version: '1.7.0' } })
    t.match((await send('GET', subscriptions)).body.items, [{ version: '1.7.0', plan: 'default' }])
    await until('the gateway knows', async () => {
      const headers = { 'x-api-key': key }
      const answer = await gateway.request({ method: 'GET', path: '/v1.6.0/accounts', headers })
      await answer.body.dump()
      return answer.statusCode === 403
    })
    const actual = await make(applicationId, young.prefix, workload)
    t.same(predictedBy(preview.body), actual)
    for (const code of ['OPERATION_NOT_IN_VERSION', 'QUOTA_EXCEEDED', 'ADDRESS_NOT_ALLOWED']) {
      t.match(Object.keys(actual).join(), code)
    }
  },
)

const listAccounts = { api: 'xs2a', operation: 'listAccounts' }
const planOf = (calls: number): Plan => {
  const plan = catalogue.plans.get('default')
  if (plan === undefined) throw new Error('not published')
  return { ...plan, limits: plan.limits.map((limit) => ({ ...limit, calls })) }
}
const hour = Date.UTC(2026, 10, 24, 9)

t.test(
  'what says nothing about a version is left out of the prediction, and counted',
  async (t) => {
    const call = (outcome: string, decision: string | null = null): ReplayableCall => ({
      ...listAccounts,
      version: '1.6.0',
      at: new Date(hour),
      outcome,
      decision,
      status: 0,
    })
    const passing = [
      'CONCURRENCY_EXCEEDED',
      'OVERLOADED',
      'REGISTRY_UNAVAILABLE',
      'APPLICATION_SUSPENDED',
      'INTERNAL_ERROR',
      'REQUEST_TIMEOUT',
      'ATTEMPTS_EXCEEDED',
      'aborted',
    ]
    const calls = [
      ...passing.map((outcome) => call(outcome)),
      call('ADDRESS_NOT_ALLOWED'),
      call('NOT_SUBSCRIBED'),
      call('QUOTA_EXCEEDED'),
      call('aborted', 'admitted'),
      call('BACKEND_TIMEOUT', 'admitted'),
    ]
    const base = { catalogue, from: old, to: young, overrides: [], nowMs: hour }
    const replay = replayCalls({ ...base, plan: planOf(100), calls })
    t.match(replay, { calls: 5, allowed: 4, refused: 1, unknown: 0, leftOut: passing.length })
    t.match(replay.operations, [
      { calls: 5, refusals: [{ code: 'ADDRESS_NOT_ALLOWED', calls: 1 }] },
    ])
  },
)

t.test('calls to the version moved to use up its limits in the prediction too', async (t) => {
  const admitted = { ...listAccounts, outcome: 'forwarded', decision: 'admitted', status: 200 }
  const calls = Array.from({ length: 20 }, (_, index) => ({
    ...admitted,
    version: index % 2 === 0 ? '1.6.0' : '1.7.0',
    at: new Date(hour + index),
  }))
  const base = { catalogue, from: old, to: young, overrides: [], nowMs: hour }
  const replay = replayCalls({ ...base, plan: planOf(10), calls })
  t.match(replay, { calls: 10, allowed: 5, refused: 5, leftOut: 0 })
})

t.test(
  'a move is one change: both subscriptions are in the audit, counts begin anew',
  async (t) => {
    const { send, move, subscriptions, subscriptionId, applicationId } = await newDeveloper()
    t.match(await send('GET', `${move}?to=1.7.0`), {
      status: 200,
      body: {
        api: 'xs2a',
        from: '1.6.0',
        to: '1.7.0',
        plan: 'default',
        keepsPlan: true,
        isSubscribed: false,
        overrides: [],
        replay: {
          calls: 0,
          allowed: 0,
          refused: 0,
          missing: 0,
          unknown: 0,
          leftOut: 0,
          operations: [],
        },
      },
    })
    for (const to of ['1.6.0', '9.9.9']) {
      t.match(await send('GET', `${move}?to=${to}`), {
        status: 400,
        body: { code: 'INPUT_INVALID' },
      })
      t.match(await send('POST', move, { to }), { status: 400, body: { code: 'INPUT_INVALID' } })
    }
    t.match(await send('POST', move, { to: '1.7.0', plan: 'none' }), { status: 400 })
    const moved = await send('POST', move, { to: '1.7.0' })
    t.match(moved, { status: 200, body: { version: '1.7.0', plan: 'default', endedAt: null } })
    const audit = await stores.audit.list({ subject: `subscription:${subscriptionId}`, limit: 10 })
    t.match(audit[0], { action: 'subscription.end', detail: { movedTo: '1.7.0' } })
    const added = await stores.audit.list({ subject: `subscription:${moved.body.id}`, limit: 10 })
    t.match(added, [{ action: 'subscription.create', detail: { movedFrom: '1.6.0' } }])
    t.match(await send('POST', move, { to: '1.7.0' }), { status: 409 }, 'it has ended')
    t.match((await send('GET', subscriptions)).body.items, [{ id: moved.body.id }])

    // Under a plan that the new version is not offered under.
    const both = await newDeveloper(['1.6.0', '1.7.0'], 'earlier')
    t.match(await both.send('GET', `${both.move}?to=1.7.0`), { body: { isSubscribed: true } })
    t.match(await both.send('POST', both.move, { to: '1.7.0' }), { status: 200 })
    const left = (await both.send('GET', both.subscriptions)).body.items
    t.match(left, [{ version: '1.7.0', plan: 'default' }])
    t.equal(left.length, 1)

    await stores.applications.suspend({ id: applicationId, by: 'test' })
    const back = `${subscriptions}/${moved.body.id}/move`
    t.match(await send('POST', back, { to: '1.6.0' }), {
      status: 409,
      body: { rule: 'application-suspended' },
    })
  },
)
