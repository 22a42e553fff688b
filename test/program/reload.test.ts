import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createClient } from '../support/calling.ts'
import { tollgate } from '../support/cli.ts'
import { testDataDir } from '../support/database.ts'
import { metricsOf } from '../support/metrics.ts'
import {
  newApplication,
  registryBeside,
  spawnTollgate,
  testConfigDir,
} from '../support/tollgate.ts'
import { until } from '../support/until.ts'

/** A process, and its Default Plan as a file that it reads again. */
async function startReloadable() {
  const dataDir = await testDataDir(t)
  const configDir = testConfigDir(t)
  const process = await spawnTollgate(t, ['gateway', 'portal', 'backend'], {
    DATA_DIR: dataDir,
    CONFIG_DIR: configDir,
    LOG_LEVEL: 'error',
  })
  const plan = join(configDir, 'plans', 'default.yaml')
  return {
    process,
    dataDir,
    good: readFileSync(plan, 'utf8'),
    async reload(text: string, sign: RegExp): Promise<string> {
      writeFileSync(plan, text)
      process.signal('SIGHUP')
      let metrics = ''
      await until(`${sign} in the metrics`, async () => {
        metrics = await metricsOf(process.urls.management)
        return sign.test(metrics)
      })
      return metrics
    },
  }
}

const { process, dataDir, good, reload } = await startReloadable()

t.test(
  'SIGHUP takes a valid configuration into force and keeps the old one before a bad one',
  async (t) => {
    const terms = async () => (await fetch(`${process.urls.portal}/api/apis`)).text()

    const refused = await reload(
      'title: 5',
      /^gateway_config_reloads_total\{result="failure"\} 1$/m,
    )
    t.match(refused, /^gateway_config_generation 1$/m)
    const said = /reload refused, the current configuration stays active/
    await until(said.source, async () => said.test(process.output.stderr))
    t.match(await terms(), '"calls":1000000')

    const calls = good.replace('calls: 1000000', 'calls: 7')
    await reload(calls, /^gateway_config_generation 2$/m)
    t.match(await terms(), '"calls":7')
  },
)

t.test(
  'a reload that changes the window or the time zone of a limit starts a new count, in the new calendar',
  async (t) => {
    const { key } = await newApplication(await registryBeside(t, dataDir), 'reloaded')
    const gateway = createClient(t, process.urls.gateway, 1)
    // Zones without summer time, whose midnights are never the same moment.
    const plans = [
      { window: 'PT24H', timeZone: undefined },
      { window: 'P1D', timeZone: 'Pacific/Kiritimati' },
      { window: 'P1D', timeZone: 'America/Lima' },
      { window: 'PT24H', timeZone: undefined },
    ]
    const seen: (string | undefined)[] = []
    const ends: number[] = []
    for (const [index, { window, timeZone }] of plans.entries()) {
      const zoned = timeZone === undefined ? '' : `timeZone: ${timeZone}\n`
      const text = good
        .replace('calls: 1000000', 'calls: 3')
        .replace('window: P365D', `window: ${window}`)
      await reload(`${zoned}${text}`, new RegExp(`^gateway_config_generation ${index + 3}$`, 'm'))
      const { status, headers, endedAt } = await gateway.call({ key })
      t.not(status, 429)
      t.equal(headers['ratelimit-policy'], '"default";q=3;w=86400')
      const [, left, seconds] =
        /^"default";r=(\d);t=(\d+)$/.exec(String(headers['ratelimit'])) ?? []
      seen.push(left)
      // Rounded, since the seconds left are rounded up.
      const end = Temporal.Instant.fromEpochMilliseconds(endedAt + Number(seconds) * 1000)
        .toZonedDateTimeISO(timeZone ?? 'UTC')
        .round('minute')
      ends.push(end.epochMilliseconds)
      t.equal(end.toPlainTime().toString(), '00:00:00', `${window} ${timeZone}`)
    }
    // Unless a day has ended meanwhile.
    const last = ends[0] === ends[3] ? '1' : '2'
    t.same(seen, ['2', '2', '2', last], 'the first window comes back with its count')
  },
)

t.test(
  'tollgate log changes level and access log while the process runs, and takes it back',
  async (t) => {
    const generation = /^gateway_config_generation \d+$/m
    const before = generation.exec(await metricsOf(process.urls.management))?.[0]
    const client = createClient(t, process.urls.gateway, 1)
    const lines = (): unknown[] => process.output.stderr.match(/"msg":"call"/g) ?? []
    await client.call({ key: 'none' })
    const change = await tollgate(
      { DATA_DIR: dataDir },
      'log',
      '--level',
      'info',
      '--access',
      'errors',
      '--for',
      '10m',
    )
    t.equal(change.code, 0, change.stderr)
    const changed = /"accessLog":"errors".*"msg":"the log was changed until then"/
    await until('the change is logged', async () => changed.test(process.output.stderr))
    t.equal(lines().length, 0, 'with LOG_LEVEL=error no call writes a line')
    await client.call({ key: 'none' })
    await until('one line is logged', async () => lines().length === 1)
    await tollgate({ DATA_DIR: dataDir }, 'log', '--reset')
    const taken = /"msg":"the settings of the log apply again"/
    await until('the configuration is in force', async () => taken.test(process.output.stderr))
    const after = generation.exec(await metricsOf(process.urls.management))?.[0]
    t.equal(after, before, 'it is no reload')
  },
)

t.test('a process that has read its configuration again ends as any other', async (t) => {
  process.signal('SIGTERM')
  t.equal(await process.ended, 0)
})
