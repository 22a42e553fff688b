import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Onboarded } from '../../src/portal/stores/accounts/onboard.ts'
import type { RehearsedUsage } from '../../src/registry/usage/rehearsed-usage.ts'
import { burst } from '../../test/support/calling.ts'
import { tollgate } from '../../test/support/cli.ts'
import { fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { metricsOf } from '../../test/support/metrics.ts'
import { newApplication } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

const operations = ['1.7.0 listAccounts', '1.7.0 listCardAccounts', '1.6.0 listAccounts']

t.test(
  'two processes count a rehearsed plan as exactly as an enforced one, and refuse nothing',
  { skip: fleetMissing() },
  async (t) => {
    const fleet = await startFleet(t, { size: 2, plan: { calls: 100, window: 'P365D' } })
    const { stores, clients } = fleet
    const env = { ...fleet.env, LOG_LEVEL: 'silent' }
    const config = fleet.env['CONFIG_DIR'] ?? ''
    /** Whether both processes have applied that many reloads. */
    const haveReloaded = async (times: number): Promise<boolean> => {
      const texts = await Promise.all(fleet.gateways.map(({ urls }) => metricsOf(urls.management)))
      const line = `gateway_config_reloads_total{result="success"} ${times}\n`
      return texts.every((text) => text.includes(line))
    }

    const file = join(config, 'plans', 'default.yaml')
    const original = readFileSync(file, 'utf8')
    const stricter = original.replace('calls: 100', 'calls: 17')
    writeFileSync(
      join(config, 'plans', 'next.yaml'),
      stricter.replace('mode: enforce', 'mode: rehearse\nrehearses: default'),
    )
    t.equal((await tollgate(env, 'reload')).code, 0)
    await until('all have the rehearsed plan', () => haveReloaded(1))
    const paths = ['/v1.7.0/accounts', '/v1.7.0/card-accounts', '/v1.6.0/accounts'] as const
    /** The calls of three applications, over both processes at once. */
    const offer = async (name: string) => {
      // One after the other: the first also makes their developer.
      const applications: Onboarded[] = []
      for (const at of [0, 1, 2]) {
        applications.push(await newApplication(stores, `${name} ${at}`))
      }
      const answers = await Promise.all(
        applications.flatMap(({ key }, at) =>
          paths.map((path, of) => burst(clients, 10 + at * 9 + of * 4, { key, path })),
        ),
      )
      return { applications, statuses: answers.flat().map(({ status }) => status) }
    }
    const offered = 3 * (10 + 19 + 28) + 3 * (4 + 8)
    const before = await offer('Rehearsing')
    t.same(
      before.statuses,
      Array.from({ length: offered }, () => 200),
    )
    const rehearsed = async () => {
      const { stdout } = await tollgate(env, 'rehearsal', '--json')
      const { items } = JSON.parse(stdout) as { items: RehearsedUsage[] }
      return items.filter(({ applicationName }) => applicationName.startsWith('Rehearsing'))
    }
    const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0)
    await until(
      'every call is rehearsed',
      async () => sum((await rehearsed()).map(({ calls }) => calls)) === offered,
    )
    const items = await rehearsed()
    const wouldRefuse = before.applications.map(({ applicationId }) =>
      operations.map((operation) =>
        sum(
          items
            .filter(
              (item) =>
                item.applicationId === applicationId &&
                `${item.version} ${item.operation}` === operation,
            )
            .map((item) => item.wouldRefuse),
        ),
      ),
    )
    t.match(
      (await tollgate(env, 'rehearsal', '--application', 'Rehearsing 2')).stdout,
      /Would be refused/,
    )

    rmSync(join(config, 'plans', 'next.yaml'))
    writeFileSync(file, stricter)
    t.equal((await tollgate(env, 'reload')).code, 0)
    await until('all have the stricter plan', () => haveReloaded(2))
    const after = await offer('Enforcing')
    const refusals = async () =>
      Promise.all(
        after.applications.map(async ({ applicationId }) => {
          const range = { from: new Date(Date.now() - 7_200_000), to: new Date() }
          const rows = await stores.usage.byOperations({
            applicationId,
            step: 'hour',
            ...range,
          })
          return operations.map((operation) =>
            sum(
              rows
                .filter((row) => `${row.version} ${row.operation}` === operation)
                .map((row) => row.refusedByLimit),
            ),
          )
        }),
      )
    const expected = JSON.stringify(wouldRefuse)
    await until(expected, async () => JSON.stringify(await refusals()) === expected)
    t.same(await refusals(), [
      [0, 0, 1],
      [2, 6, 10],
      [11, 15, 19],
    ])
    t.equal(after.statuses.filter((status) => status === 429).length, 64)
  },
)
