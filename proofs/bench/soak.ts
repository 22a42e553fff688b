// npm run prove -- bench-soak [--minutes 30 --calls 100 --picture docs/evidence/soak.svg]: memory, open files and Redis keys
// of Tollgate under a steady load, in both shapes at once: everything in one process on embedded stores, and a gateway alone
// on PostgreSQL and Redis. Windows last a minute, so buckets come and go. Ends with code 1 if something grows, and if an
// answer is neither 200 nor 429.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createSeededConsent } from '../../src/backend/sandbox/create-seeded-consent.ts'
import { openDatabase } from '../../src/platform/database/database.ts'
import { databaseBeside } from '../../src/platform/database/embedded-database.ts'
import { createLog } from '../../src/platform/log/log.ts'
import type { Onboarded } from '../../src/portal/stores/accounts/onboard.ts'
import { type CallOptions, type Client, createClient } from '../../test/support/calling.ts'
import { testDataDir } from '../../test/support/database.ts'
import { productionEnv, startStores, storesOf } from '../../test/support/fleet.ts'
import { startLedger } from '../../test/support/ledger-backend.ts'
import { standInTest } from '../../test/support/stand-in-test.ts'
import {
  newApplication,
  registryBeside,
  spawnTollgate,
  testConfigDir,
} from '../../test/support/tollgate.ts'
import { figure as noteFigure } from '../figure.ts'
import { print, printTable } from './report.ts'
import { median } from './statistics.ts'

const applications = 50
const sampleMs = 5_000
/** The last third compared with the middle third. */
const growthMost = 1.05
/** Size of a diagram in the picture. */
const [width, height, left] = [720, 150, 150]

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    calls: { type: 'string', default: '100' },
    picture: { type: 'string' },
  },
})
const minutes = Number(values.minutes)
const callsPerSecond = Number(values.calls)
if (!(minutes > 0 && callsPerSecond > 0)) {
  throw new Error('--minutes and --calls are numbers above 0 (e.g. --minutes 30 --calls 100)')
}

/** One shape of Tollgate, its figures over time, and how to read them. */
interface Shape {
  readonly name: string
  readonly client: Client
  readonly callers: readonly CallOptions[]
  readonly read: () => Promise<Readonly<Record<string, number>>>
  readonly samples: Readonly<Record<string, number>>[]
  readonly statuses: Map<number, number>
}

const t = standInTest()
let hasFailed = false
try {
  const shapes = [await embedded(), await production()]
  const until = performance.now() + minutes * 60_000
  await Promise.all(shapes.flatMap((shape) => [load(shape, until), observe(shape, until)]))
  for (const shape of shapes) report(shape)
  if (values.picture !== undefined) writeFileSync(values.picture, draw(shapes))
} finally {
  await t.end()
}
process.exitCode = hasFailed ? 1 : 0

async function embedded(): Promise<Shape> {
  const dataDir = await testDataDir(t)
  const env = { DATA_DIR: dataDir, CONFIG_DIR: testConfigDir(t, { calls: 1_000, window: 'PT1M' }) }
  const { pid, urls } = await spawnTollgate(t, ['gateway', 'portal', 'backend'], env)
  const database = openDatabase({
    url: (await databaseBeside(dataDir)) ?? '',
    log: createLog('silent'),
  })
  const callers: CallOptions[] = []
  for (const { key, applicationId } of await onboardAll(await registryBeside(t, dataDir))) {
    const consentId = await createSeededConsent({ database, applicationId, now: Date.now })
    callers.push({ key, headers: { 'consent-id': consentId, 'psu-ip-address': '192.0.2.44' } })
  }
  await database.close()
  const client = createClient(t, urls.gateway, 16)
  const read = async () => figuresOf(pid)
  return { name: 'embedded, all roles', client, callers, read, samples: [], statuses: new Map() }
}

async function production(): Promise<Shape> {
  const { redis, env: ofStores } = await startStores(t)
  const env = {
    ...productionEnv(),
    ...ofStores,
    BACKEND_URL: (await startLedger(t)).url,
    CONFIG_DIR: testConfigDir(t, { calls: 1_000, window: 'PT1M' }),
  }
  const { pid, urls } = await spawnTollgate(t, ['gateway'], env)
  const callers = await onboardAll(await storesOf(t, env))
  const client = createClient(t, urls.gateway, 16)
  const read = async () => ({
    ...figuresOf(pid),
    'Redis keys': Number(await redis.cli('DBSIZE')),
  })
  return {
    name: 'gateway, PostgreSQL and Redis',
    client,
    callers,
    read,
    samples: [],
    statuses: new Map(),
  }
}

async function onboardAll(stores: Parameters<typeof newApplication>[0]): Promise<Onboarded[]> {
  const onboarded: Onboarded[] = []
  for (let number = 0; number < applications; number += 1) {
    onboarded.push(await newApplication(stores, `soak ${number}`))
  }
  return onboarded
}

function figuresOf(pid: number): Readonly<Record<string, number>> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    'resident MB': Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_000,
    'open files': readdirSync(`/proc/${pid}/fd`).length,
  }
}

/** Calls at a steady pace, whatever the answers take. */
async function load({ client, callers, statuses }: Shape, until: number): Promise<void> {
  const pending = new Set<Promise<void>>()
  const from = performance.now()
  for (let number = 0; performance.now() < until; number += 1) {
    const dueMs = (number * 1_000) / callsPerSecond - (performance.now() - from)
    if (dueMs > 1) await delay(dueMs)
    const call = client
      .call(callers[number % callers.length] ?? { key: '' })
      .then(({ status }) => status)
      .catch(() => 0)
      .then((status) => {
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        pending.delete(call)
      })
    pending.add(call)
  }
  await Promise.all(pending)
}

async function observe({ read, samples }: Shape, until: number): Promise<void> {
  while (performance.now() < until) {
    samples.push(await read())
    await delay(sampleMs)
  }
}

function report({ name, samples, statuses }: Shape): void {
  const third = Math.floor(samples.length / 3)
  const rows = Object.keys(samples[0] ?? {}).map((figure) => {
    const part = (from: number) =>
      median(samples.slice(from, from + third).map((sample) => sample[figure] ?? 0))
    const [first, middle, last] = [part(0), part(third), part(2 * third)]
    const growth = last / middle
    const isFlat = growth <= growthMost
    noteFigure(`${name}, ${figure}: ${growth.toFixed(3)} of the third before`)
    hasFailed ||= !isFlat
    const figures = [first, middle, last].map((number) => number.toFixed(0))
    return [figure, ...figures, growth.toFixed(3), isFlat ? 'flat' : '**grows**']
  })
  const counts = [...statuses].map(([status, count]) => `${count} × ${status || 'no answer'}`)
  const isServed =
    statuses.has(200) && [...statuses.keys()].every((status) => status === 200 || status === 429)
  noteFigure(`${name}: ${counts.join(', ')}`)
  hasFailed ||= !isServed
  print(`\n${name}: ${minutes} minutes, ${callsPerSecond} calls a second; ${counts.join(', ')}`)
  if (!isServed) print('NO RESULT  not every answer was 200 or 429, or none was 200')
  printTable(['median of each third', 'first', 'middle', 'last', 'last ÷ middle', ''], rows)
}

/** One diagram for each figure of each shape, as SVG that reads in light and in dark. */
function draw(shapes: readonly Shape[]): string {
  const diagrams = shapes.flatMap(({ name, samples }) =>
    Object.keys(samples[0] ?? {}).map((figure) => ({
      title: `${name}: ${figure}`,
      numbers: samples.map((sample) => sample[figure] ?? 0),
    })),
  )
  const parts = diagrams.map(({ title, numbers }, at) => {
    const top = at * (height + 50) + 40
    const most = Math.max(...numbers) * 1.1
    const points = numbers.map((number, index) => {
      const x = left + (index / Math.max(1, numbers.length - 1)) * (width - left - 20)
      return `${x.toFixed(1)},${(top + height * (1 - number / most)).toFixed(1)}`
    })
    return [
      `<text x="0" y="${top - 14}" font-weight="600">${title}</text>`,
      `<text x="${left - 8}" y="${top + 10}" text-anchor="end">${most.toFixed(0)}</text>`,
      `<text x="${left - 8}" y="${top + height}" text-anchor="end">0</text>`,
      `<path d="M${left} ${top}V${top + height}H${width - 20}" stroke="#8886" fill="none"/>`,
      `<polyline points="${points.join(' ')}" stroke="#3b7ddd" stroke-width="2" fill="none"/>`,
      `<text x="${width - 20}" y="${top + height + 16}" text-anchor="end">${minutes} minutes</text>`,
    ].join('\n')
  })
  const full = diagrams.length * (height + 50) + 20
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${full}" font-family="sans-serif" font-size="13" fill="#808080">
<title>Memory, open files and Redis keys over ${minutes} minutes of ${callsPerSecond} calls a second</title>
${parts.join('\n')}
</svg>
`
}
