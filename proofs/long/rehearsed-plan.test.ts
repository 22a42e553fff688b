import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Onboarded } from '../../src/portal/stores/accounts/onboard.ts'
import type { Stores } from '../../src/portal/stores/stores.ts'
import type { RehearsedUsage } from '../../src/registry/usage/rehearsed-usage.ts'
import { burst } from '../../test/support/calling.ts'
import { tollgate } from '../../test/support/cli.ts'
import { type Fleet, fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { metricsOf } from '../../test/support/metrics.ts'
import { newApplication } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

/** The called operations, each with its path and the name of its counts. */
const operations = [
  { name: '1.7.0 listAccounts', path: '/v1.7.0/accounts' },
  { name: '1.7.0 listCardAccounts', path: '/v1.7.0/card-accounts' },
  { name: '1.6.0 listAccounts', path: '/v1.6.0/accounts' },
] as const

const strictCalls = 17

/**
 * The calls that each of three applications makes to each operation: 10, 19 and
 * 28 to the first, 4 more to each following one. Some are below the stricter
 * limit of 17, some above.
 */
const offered = [
  [10, 14, 18],
  [19, 23, 27],
  [28, 32, 36],
] as const

/** What is above 17 of each. */
const overLimit = [
  [0, 0, 1],
  [2, 6, 10],
  [11, 15, 19],
]

t.test(
  'two processes count a rehearsed plan as exactly as an enforced one, and refuse nothing',
  { skip: fleetMissing() },
  async (t) => {
    const fleet = await startFleet(t, { size: 2, plan: { calls: 100, window: 'P365D' } })
    const { stores } = fleet
    const env = { ...fleet.env, LOG_LEVEL: 'silent' }
    const plans = join(fleet.env['CONFIG_DIR'] ?? '', 'plans')
    const rehearsing = join(plans, 'next.yaml')
    const enforcing = join(plans, 'default.yaml')
    const stricter = edited(readFileSync(enforcing, 'utf8'), 'calls: 100', `calls: ${strictCalls}`)

    writeFileSync(
      rehearsing,
      edited(stricter, 'mode: enforce', 'mode: rehearse\nrehearses: default'),
    )
    t.equal((await tollgate(env, 'reload')).code, 0)
    await until('both processes have the rehearsed plan', () => haveReloaded(fleet, 1))
    const before = await offer(fleet, 'Rehearsing')
    t.same(new Set(before.statuses), new Set([200]), 'a rehearsed plan refuses nothing')
    await until('every call is rehearsed', async () => {
      const rehearsed = await rehearsedUsage(env)
      return sum(rehearsed.map(({ calls }) => calls)) === before.statuses.length
    })
    const rehearsed = await rehearsedUsage(env)
    t.same(
      wouldRefuseOf(before.applications, rehearsed),
      overLimit,
      'the rehearsed plan would refuse what is above its limit',
    )
    const shown = await tollgate(env, 'rehearsal', '--application', 'Rehearsing 2')
    t.match(shown.stdout, /Would be refused/)

    rmSync(rehearsing)
    writeFileSync(enforcing, stricter)
    t.equal((await tollgate(env, 'reload')).code, 0)
    await until('both processes have the stricter plan', () => haveReloaded(fleet, 2))
    const after = await offer(fleet, 'Enforcing')
    const refusals = () =>
      Promise.all(after.applications.map((application) => refusedByLimit(stores, application)))
    const refusedCalls = sum(overLimit.flat())
    await until('every refusal is in the usage', async () => {
      return sum((await refusals()).flat()) === refusedCalls
    })
    t.same(await refusals(), overLimit, 'the enforced plan refuses the same')
    t.equal(after.statuses.filter((status) => status === 429).length, refusedCalls)
  },
)

/** Replaces a text that must be there. */
function edited(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the plan has no "${from}"`)
  return text.replace(from, to)
}

/** Whether every process has applied this many reloads. */
async function haveReloaded({ gateways }: Fleet, times: number): Promise<boolean> {
  const texts = await Promise.all(gateways.map(({ urls }) => metricsOf(urls.management)))
  const line = `gateway_config_reloads_total{result="success"} ${times}\n`
  return texts.every((text) => text.includes(line))
}

/** Makes the calls of {@link offered} at once, spread over all processes. */
async function offer({ stores, clients }: Fleet, name: string) {
  const applications: Onboarded[] = []
  // One after the other: the first also makes their developer.
  for (const index of offered.keys()) {
    applications.push(await newApplication(stores, `${name} ${index}`))
  }
  const answers = await Promise.all(
    applications.flatMap(({ key }, application) =>
      operations.map(({ path }, operation) =>
        burst(clients, offered[application]?.[operation] ?? 0, { key, path }),
      ),
    ),
  )
  return { applications, statuses: answers.flat().map(({ status }) => status) }
}

async function rehearsedUsage(env: Fleet['env']): Promise<RehearsedUsage[]> {
  const { stdout } = await tollgate(env, 'rehearsal', '--json')
  const { items } = JSON.parse(stdout) as { items: RehearsedUsage[] }
  return items.filter(({ applicationName }) => applicationName.startsWith('Rehearsing'))
}

/** By application and operation, what the rehearsed plan would have refused. */
function wouldRefuseOf(applications: readonly Onboarded[], usage: readonly RehearsedUsage[]) {
  return applications.map(({ applicationId }) =>
    operations.map(({ name }) => {
      const items = usage.filter(
        (item) =>
          item.applicationId === applicationId && `${item.version} ${item.operation}` === name,
      )
      return sum(items.map(({ wouldRefuse }) => wouldRefuse))
    }),
  )
}

/** By operation, the calls of the last two hours that a limit refused. */
async function refusedByLimit(stores: Stores, { applicationId }: Onboarded): Promise<number[]> {
  const range = { from: new Date(Date.now() - 7_200_000), to: new Date() }
  const rows = await stores.usage.byOperations({ applicationId, step: 'hour', ...range })
  return operations.map(({ name }) => {
    const ofOperation = rows.filter((row) => `${row.version} ${row.operation}` === name)
    return sum(ofOperation.map((row) => row.refusedByLimit))
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0)
}
