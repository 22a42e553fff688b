import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { usageSpan } from '../../src/cli/plan/usage-span.ts'
import type { RehearsedUsage } from '../../src/registry/usage/rehearsed-usage.ts'
import { burst } from '../support/calling.ts'
import { tollgate } from '../support/cli.ts'
import { fleetMissing, startFleet } from '../support/fleet.ts'
import { newApplication } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

/** A copy of a configuration folder. */
function copyOf(t: Test, folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'tg-proposed-'))
  t.teardown(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(folder, copy, { recursive: true })
  return copy
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

t.test(
  'a changed configuration is shown before it takes anything from an application, and a reload asks',
  { skip: fleetMissing() },
  async (t) => {
    const fleet = await startFleet(t, { size: 1, plan: { calls: 100, window: 'P365D' } })
    const { stores, clients } = fleet
    const env = { ...fleet.env, LOG_LEVEL: 'silent' }
    const config = fleet.env['CONFIG_DIR'] ?? ''
    const budget = await newApplication(stores, 'Budget app')
    const shop = await newApplication(stores, 'Shop')
    await burst(clients, 7, { key: budget.key })
    await burst(clients, 2, { key: shop.key })
    const proposed = copyOf(t, config)
    const planFile = join('plans', 'default.yaml')
    const planOf = async (folder: string) => {
      const { code, stdout, stderr } = await tollgate(env, 'plan', folder, '--json')
      t.equal(stderr, '')
      return { code, ...JSON.parse(stdout) }
    }

    await t.test('the same files change nothing', async (t) => {
      // The gateway notes what it publishes just after it has started.
      await until(
        'a configuration is published',
        async () => (await stores.publishedConfigurations.inUse()).readable.length > 0,
      )
      t.match(await planOf(proposed), {
        code: 0,
        isBreaking: false,
        changes: [],
        overNow: [],
        last30Days: [],
        inForce: { source: 'published' },
      })
    })

    await t.test(
      'a lower limit names who is over it now, and what it would have refused',
      async (t) => {
        edit(join(proposed, planFile), (text) => text.replace('calls: 100', 'calls: 5'))
        await until(
          'the plan has figures of calls',
          async () => (await planOf(proposed)).last30Days.length > 0,
        )
        const plan = await planOf(proposed)
        const isLeast = usageSpan(31_536_000, Date.now()).isCut
        const application = { id: budget.applicationId, name: 'Budget app' }
        const subject = { application, api: 'xs2a', version: '1.7.0', operation: 'listAccounts' }
        t.match(plan, {
          code: 3,
          isBreaking: true,
          changes: [
            {
              kind: 'limit.calls',
              plan: 'default',
              limit: 'default',
              from: '100',
              to: '5',
              isBreaking: true,
              applications: [application, { name: 'Shop' }],
            },
          ],
          overNow: [{ ...subject, used: 7, calls: 5 }],
          // In most of the year its window began before the stored usage.
          last30Days: [{ ...subject, calls: 5, refused: 2, windows: 1, isLeast }],
        })
        t.equal(plan.overNow.length, 1)
        t.equal(plan.last30Days.length, 1)
        const { stdout } = await tollgate(env, 'plan', proposed)
        for (const text of [
          'calls changed',
          'Budget app, Shop',
          'Over a new limit now:',
          'Calls of the last 30 days that a new limit would have refused:',
          '1 change can break 2 applications.',
        ]) {
          t.ok(stdout.includes(text), text)
        }
      },
    )

    await t.test('a lower limit leaves applications alone that have an override', async (t) => {
      for (const version of ['mandate@1.0.0', 'xs2a@1.6.0', 'xs2a@1.7.0']) {
        const [api = '', number = ''] = version.split('@')
        await stores.overrides.create({
          applicationId: budget.applicationId,
          api,
          version: number,
          limit: 'default',
          calls: 6,
          reason: 'test',
          by: 'test',
          expiresAt: new Date(Date.now() + 3_600_000),
        })
      }
      const { changes, overNow, last30Days } = await planOf(proposed)
      t.match(changes, [{ applications: [{ name: 'Shop' }] }])
      t.same([overNow, last30Days], [[], []])
    })

    await t.test(
      'a reload refuses to take away what applications use, until it is forced',
      async (t) => {
        // The translations name what the documents have.
        for (const gone of ['mandate', 'he.yaml', 'xs2a/he.yaml']) {
          rmSync(join(config, 'apis', gone), { recursive: true })
        }
        edit(join(config, planFile), (text) => text.replace("'mandate@*', ", ''))
        const refused = await tollgate(env, 'reload')
        t.equal(refused.code, 3)
        t.match(refused.stderr, /version removed: mandate@1\.0\.0, used by Budget app, Shop\n/)
        t.match(refused.stderr, /tollgate plan .*\n.*tollgate reload --force/)
        const old = { key: shop.key, path: '/v1.0.0/mandates/M1' }
        const statuses = async () => (await burst(clients, 2, old)).map(({ status }) => status)
        t.same(await statuses(), [200, 200])
        t.match(await planOf(config), {
          code: 3,
          changes: [{ kind: 'version.removed', api: 'mandate', version: '1.0.0' }],
        })
        t.equal((await tollgate(env, 'reload', '--force')).code, 0)
        await until('every gateway answers 404', async () =>
          (await statuses()).every((status) => status === 404),
        )
        await until('the plan has no change', async () => (await planOf(config)).code === 0)
        // What is gone is no longer in the way.
        t.equal((await tollgate(env, 'reload')).code, 0)
      },
    )

    await t.test('a rehearsed plan refuses nothing, and says what it would refuse', async (t) => {
      edit(join(config, planFile), (text) => text.replace(/calls: \d+/, 'calls: 100'))
      cpSync(join(config, planFile), join(config, 'plans', 'next.yaml'))
      edit(join(config, 'plans', 'next.yaml'), (text) =>
        text
          .replace('calls: 100', 'calls: 5')
          .replace('mode: enforce', 'mode: rehearse\nrehearses: default'),
      )
      t.equal((await tollgate(env, 'reload')).code, 0)
      const { key } = await newApplication(stores, 'Rehearsing')
      const rehearsed = async () => {
        const { stdout } = await tollgate(env, 'rehearsal', '--application', 'Rehearsing', '--json')
        const { items } = JSON.parse(stdout) as { items: RehearsedUsage[] }
        return items.reduce(
          (sum, { calls, wouldRefuse }) => ({
            calls: sum.calls + calls,
            wouldRefuse: sum.wouldRefuse + wouldRefuse,
          }),
          { calls: 0, wouldRefuse: 0 },
        )
      }
      await until('calls are rehearsed', async () => {
        t.match(await burst(clients, 1, { key }), [{ status: 200 }])
        return (await rehearsed()).calls > 0
      })
      t.same(
        (await burst(clients, 8, { key })).map(({ status }) => status),
        Array.from({ length: 8 }, () => 200),
      )
      await until('those over the limit would be refused', async () => {
        const { calls, wouldRefuse } = await rehearsed()
        return calls > 8 && wouldRefuse === calls - 5
      })
      const { stdout } = await tollgate(env, 'rehearsal', '--application', 'Rehearsing')
      t.match(stdout, /Would be refused/)
    })

    await t.test('onboard says which version the running gateways do not serve yet', async (t) => {
      const newer = copyOf(t, config)
      const document = join(newer, 'desk.json')
      const paths = { '/desk': { get: { responses: {} } } }
      const info = { title: 'Desk', version: '2' }
      writeFileSync(document, JSON.stringify({ openapi: '3.1.1', info, paths }))
      const command = (...args: string[]) => tollgate({ ...env, CONFIG_DIR: newer }, ...args)
      const backend = ['--backend', 'http://127.0.0.1:9', '--plan', 'default']
      t.match(await command('publish', document, ...backend), { code: 0 })
      const onboard = ['onboard', '--email', 'desk@example.com', '--application', 'Desk', '--api']
      const unserved = await command(...onboard, 'desk@2', 'xs2a@1.7.0')
      t.match(unserved, { code: 0, stderr: /running gateways do not serve desk@2 yet/ })
      t.notMatch((await command(...onboard, 'xs2a@1.7.0')).stderr, /do not serve/)
    })
  },
)
