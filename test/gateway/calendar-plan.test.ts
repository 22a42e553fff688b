import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createClient } from '../support/calling.ts'
import { tollgate as run, tollgateReading } from '../support/cli.ts'
import { besidePortal } from '../support/portal-client.ts'
import { newApplication, runTollgate, testConfigDir } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

/** One in which no month ends during a test. */
const timeZone =
  monthIn('Europe/Berlin', 0) === monthIn('Europe/Berlin', 1) ? 'Europe/Berlin' : 'America/Lima'

function monthIn(zone: string, hoursAhead: number): number {
  return Temporal.Now.zonedDateTimeISO(zone).add({ hours: hoursAhead }).month
}

const plan = `title: Monthly Plan
apis: ['mandate@*', 'xs2a@*']
timeZone: ${timeZone}
limits:
  - { name: monthly, calls: 2, window: P1M, scope: plan }
mode: enforce
onStoreOutage: local-share
`
const config = testConfigDir(t)
writeFileSync(join(config, 'plans', 'default.yaml'), plan)
const tollgate = await runTollgate(t, { env: { CONFIG_DIR: config } })
const gateway = createClient(t, tollgate.urls.gateway, 1)
const beside = await besidePortal(t, tollgate)
const env = { ...tollgate.commandEnv, CONFIG_DIR: config }
const window = {
  windowSeconds: null,
  calendarWindow: { unit: 'month', timeZone },
}

/** The midnight with which a month begins. */
function isMonthsEnd(instant: string): boolean {
  const zoned = Temporal.Instant.from(instant).toZonedDateTimeISO(timeZone)
  return zoned.day === 1 && zoned.hour === 0 && zoned.minute === 0 && zoned.second === 0
}

t.test('the portal and tollgate check name the calendar of a limit', async (t) => {
  const { body } = await beside.anonymous('GET', '/api/apis')
  t.match(body.items[0].versions[0].plans, [{ limits: [{ name: 'monthly', calls: 2, ...window }] }])
  const page = await fetch(tollgate.urls.portal)
  t.match(
    await page.text(),
    `2 calls per calendar month (${timeZone}) for all operations together.`,
  )
  const checked = await run(env, 'check')
  t.match(checked.stdout, `monthly: 2 calls to the version per calendar month (${timeZone})`)
  const asJson = await run(env, 'check', '--json')
  t.match(JSON.parse(asJson.stdout).plans, [{ limits: [{ name: 'monthly', ...window }] }])
})

t.test(
  'calls, usage, reasons and commands agree about the month that a limit counts',
  async (t) => {
    const { send } = await beside.signIn({ email: 'tester@tollgate.example' })
    const { applicationId, key } = await newApplication(beside.stores, 'monthly')
    const call = () => gateway.call({ key, path: '/v1.7.0/accounts' })
    const first = await call()
    t.match(first.headers['ratelimit-policy'], /^"monthly";q=2;w=\d+$/)
    const days = Number(/w=(\d+)/.exec(String(first.headers['ratelimit-policy']))?.[1]) / 86_400
    t.ok(days > 27.9 && days < 31.1, `${days} days`)
    await call()
    const refused = await call()
    t.equal(refused.status, 429)
    const { resetsAt } = JSON.parse(refused.body)
    t.ok(isMonthsEnd(resetsAt), resetsAt)

    const usage = (await send('GET', `/api/applications/${applicationId}/usage`)).body.items
    t.match(
      usage.filter((item: { used: number }) => item.used > 0),
      [{ operation: null, limit: 2, used: 2, remaining: 0, resetsAt, ...window }],
    )
    let reason = ''
    await until('the refused call has a record with its reason', async () => {
      const path = `/api/applications/${applicationId}/calls/${refused.requestId}`
      const [record] = (await send('GET', path)).body.items
      reason = record?.reason ?? ''
      return reason !== ''
    })
    t.ok(
      reason.startsWith(`All 2 calls of the calendar month (${timeZone}) to xs2a 1.7.0 were used.`),
      reason,
    )

    const application = ['--application', applicationId]
    const listed = await run(env, 'counter', 'list', ...application, '--json')
    t.match(
      JSON.parse(listed.stdout).items.filter(({ used }: { used: number }) => used > 0),
      [{ limitName: 'monthly', used: 2, resetsAt }],
    )
    const reset = await run(env, 'counter', 'reset', ...application, '--api', 'xs2a@1.7.0')
    t.equal(reset.code, 0, reset.stderr)
    t.equal((await call()).headers['x-ratelimit-remaining'], '1')
    const asked = ['explain', 'GET', '/v1.7.0/accounts', '--key', '-', '--verbose']
    const explained = await tollgateReading(key, env, ...asked)
    t.match(
      explained.stdout,
      new RegExp(`monthly +│ +2 +│ +calendar month \\(${timeZone}\\) +│ +1 `),
    )
  },
)

t.test(
  "an operator's override changes the calls of a calendar month, not its window",
  async (t) => {
    const { applicationId, key } = await newApplication(beside.stores, 'overridden')
    const call = () => gateway.call({ key, path: '/v1.7.0/accounts' })
    const first = await call()
    const [, length] =
      /^"monthly";q=2;(w=\d+)$/.exec(String(first.headers['ratelimit-policy'])) ?? []
    await call()
    t.equal((await call()).status, 429)

    const application = ['--application', applicationId]
    const terms = ['--api', 'xs2a@1.7.0', '--limit', 'monthly', '--calls', '4']
    const reason = ['--until', '2099-01-31', '--reason', 'a migration']
    const added = await run(env, 'override', 'add', ...application, ...terms, ...reason, '--json')
    t.match(JSON.parse(added.stdout), { limit: 'monthly', calls: 4 })
    let third = first
    await until('the override is in force', async () => {
      third = await call()
      return third.status !== 429
    })
    t.equal(third.headers['ratelimit-policy'], `"monthly";q=4;${length}`)
    t.match(third.headers['ratelimit'], /^"monthly";r=1;/, 'the calls of this month stay counted')
    const listed = await run(env, 'counter', 'list', ...application, '--json')
    t.match(
      JSON.parse(listed.stdout).items.filter(({ used }: { used: number }) => used > 0),
      [{ limitName: 'monthly', limit: 4, used: 3 }],
    )
    t.not((await call()).status, 429)
    const refused = JSON.parse((await call()).body)
    t.match(refused, { code: 'QUOTA_EXCEEDED', limit: 4 })
    t.ok(isMonthsEnd(refused.resetsAt), refused.resetsAt)
  },
)
