import t from 'tap'
import { tollgate } from '../support/cli.ts'
import { testDatabase, testDataDir } from '../support/database.ts'
import { testApplication, testStores } from '../support/registry.ts'

const { database, url } = await testDatabase(t)
const stores = await testStores(database)
const env = {
  DATABASE_URL: url,
  DATA_DIR: await testDataDir(t),
  KEY_PEPPER: 'a-pepper-for-tests-and-nothing-else',
}
const { application, developer } = await testApplication(stores)
const hourMs = 3_600_000

/** An event that happened this many hours ago. */
const event = (name: string, hours: number, party?: { actor?: string; subject?: string }) => ({
  at: new Date(Date.now() - hours * hourMs),
  event: name,
  reason: null,
  actor: null,
  subject: null,
  keyId: null,
  requestId: null,
  address: '192.0.2.0/24',
  agent: 'a browser',
  detail: { hours: String(hours) },
  ...party,
})

await stores.securityEvents.write([
  event('sign-in.refused', 72),
  event('sign-in.refused', 48, { subject: `developer:${developer.id}` }),
  event('object.foreign', 36, { actor: `developer:${developer.id}` }),
  event('key.refused', 24, { subject: `application:${application.id}` }),
  ...Array.from({ length: 1_001 }, () => event('key.exposed', 1)),
])

async function hoursOf(...args: string[]) {
  const outcome = await tollgate(env, 'events', 'list', ...args, '--json')
  t.equal(outcome.code, 0, outcome.stderr)
  return JSON.parse(outcome.stdout).items.map((item: { detail: { hours?: string } }) =>
    Number(item.detail.hours),
  )
}

t.test('events are listed newest first, by event, party and time', async (t) => {
  t.same(await hoursOf('--event', 'sign-in.refused'), [48, 72])
  t.same(await hoursOf('--event', 'sign-in.refused', '--limit', '1'), [48])
  t.same(await hoursOf('--application', application.name), [24])
  t.same(await hoursOf('--developer', developer.email), [36, 48])
  t.same(await hoursOf('--party', `developer:${developer.id}`, '--until', '-40h'), [48])
  t.same(await hoursOf('--from', '-50h', '--until', '-30h'), [36, 48])
  const { stdout } = await tollgate(env, 'events', 'list', '--event', 'key.refused')
  t.match(stdout, /key\.refused +│ - +│ - +│ application:/)
})

t.test('an export has a line for each event, oldest first, however many', async (t) => {
  const { stdout } = await tollgate(env, 'events', 'export', '--until', '-1m')
  const lines = stdout.trim().split('\n')
  const events = lines.map((line) => JSON.parse(line))
  t.equal(events.length, 4 + 1_001)
  t.match(events[0], {
    event: 'sign-in.refused',
    address: '192.0.2.0/24',
    detail: { hours: '72' },
    at: /^\d{4}-\d\d-\d\dT/,
  })
  const ids = events.map(({ id }) => id)
  t.same(
    ids,
    ids.toSorted((a, b) => a - b),
  )
})

t.test('each use of the commands is an event, too', async (t) => {
  await tollgate(env, 'events', 'list', '--application', application.name)
  await tollgate(env, 'events', 'export', '--event', 'key.refused')
  const reads = await stores.securityEvents.list({ event: 'operator.read', limit: 2 })
  t.match(reads, [
    { actor: /^operator:/, detail: { command: 'events export' } },
    {
      actor: /^operator:/,
      subject: `application:${application.id}`,
      detail: { command: 'events list' },
    },
  ])
})

t.test('an unknown event or time is refused with what is possible', async (t) => {
  const unknown = await tollgate(env, 'events', 'list', '--event', 'key.refuse')
  t.match(unknown, { code: 2, stderr: /--event must be one of .*key\.refused/ })
  const time = await tollgate(env, 'events', 'export', '--from', 'yesterday')
  t.match(time, { code: 2, stderr: /-24h/ })
})
