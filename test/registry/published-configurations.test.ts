import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import t from 'tap'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { refuseTakingAway } from '../../src/cli/taking-away.ts'
import { createProcesses } from '../../src/registry/processes/processes.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { testDatabase } from '../support/database.ts'
import { configDir } from '../support/published-catalogue.ts'
import { testStores } from '../support/registry.ts'
import { newApplication } from '../support/tollgate.ts'

/** The names of all members, `versions[][1].operations[].id`, but for those of documents and of maps. */
function shapeOf(value: unknown, path = '', found = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(value)) {
    const isPair = /^(versions|plans)\[\]$/.test(path)
    for (const item of isPair ? value.slice(1) : value) {
      shapeOf(item, isPair ? path : `${path}[]`, found)
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const at = path === '' ? name : `${path}.${name}`
      found.add(at)
      if (!/\.(head|translations)$/.test(at)) shapeOf(member, at, found)
    }
  }
  return found
}

t.test('the stored shape does not change without another format', async (t) => {
  const folder = join(t.testdir(), 'config')
  cpSync('test/catalogue/fixtures/minimal', folder, { recursive: true })
  const edit = (file: string, text: string, replacement: string) =>
    writeFileSync(
      join(folder, file),
      readFileSync(join(folder, file), 'utf8').replace(text, replacement),
    )
  edit('apis/library/1.1.0.yaml', '      responses:', '      x-psd2-role: PSP_AI\n      responses:')
  const lifecycle =
    "{ deprecated: '2026-01-01', sunset: '2098-01-01', successor: 1.0.0, retired: '2099-01-01' }"
  edit('apis/library/1.1.0.yaml', 'version: 1.1.0', `version: 1.1.0\n  x-lifecycle: ${lifecycle}`)
  const plan = readFileSync(join(folder, 'plans/default.yaml'), 'utf8')
  const rehearsal = plan.replace('mode: enforce', 'mode: rehearse\nrehearses: default')
  writeFileSync(join(folder, 'plans/next.yaml'), rehearsal)
  const catalogue = await loadCatalogue(folder)
  const { database } = await testDatabase(t)
  const stores = await testStores(database)
  await stores.publishedConfigurations.published(catalogue)
  const db = database.connect<RegistrySchema>()
  const row = await db
    .selectFrom('published_configurations')
    .select(['digest', 'content'])
    .executeTakeFirstOrThrow()
  t.equal(row.digest, catalogue.digest)
  const [first = ''] = gunzipSync(row.content).toString().split('\n')
  const kept = JSON.parse(first)
  const limit = ['name', 'calls', 'windowLength', 'scope', 'isAdvertised']
  const under = (path: string, names: readonly string[]) => names.map((name) => `${path}.${name}`)
  t.same(
    { format: kept.format, shape: [...shapeOf(kept)].sort() },
    {
      // Another shape below needs another format here, or a release would misread what another one has written.
      format: 4,
      shape: [
        'format',
        'versions',
        'plans',
        ...under('versions[]', ['api', 'version', 'title', 'prefix', 'lifecycle', 'operations']),
        ...under('versions[]', ['head', 'credentials', 'translations', 'plans']),
        ...under('versions[]', ['basePath', 'forwardHeaders', 'successorPrefix']),
        ...under('versions[].lifecycle', ['deprecated', 'sunset', 'successor', 'retired']),
        ...under('versions[].operations[]', ['id', 'api', 'version', 'method', 'path', 'template']),
        ...under('versions[].operations[]', ['segments', 'summary', 'tag', 'psd2Role', 'hasBody']),
        ...under('versions[].operations[]', ['availableIn', 'declared']),
        ...under('versions[].operations[].declared', ['headers', 'query', 'responseHeaders']),
        ...under('versions[].credentials', ['headers', 'query']),
        ...under('versions[].operations[].segments[]', ['kind', 'text', 'name']),
        ...under('plans[]', ['name', 'title', 'description', 'translations', 'apis', 'limits']),
        ...under('plans[]', ['mode', 'onStoreOutage', 'rehearsal']),
        ...under('plans[].limits[]', limit),
        ...under('plans[].rehearsal', ['name', 'title', 'apis', 'limits', 'onStoreOutage']),
        'plans[].rehearsal.versions',
        ...under('plans[].rehearsal.limits[]', limit),
      ].sort(),
    },
  )
})

t.test('a reload is compared with each configuration in use', async (t) => {
  const { database } = await testDatabase(t)
  const stores = await testStores(database)
  const db = database.connect<RegistrySchema>()
  const store = stores.publishedConfigurations
  await newApplication(stores, 'Budget app')
  const full = await loadCatalogue(configDir)
  const lacking = {
    ...full,
    digest: 'lacking',
    versions: new Map([...full.versions].filter(([key]) => key !== 'mandate@1.0.0')),
  }
  const context = { now: () => Date.now(), settings: () => ({ configDir }) as never }
  const refusal = async (): Promise<string | undefined> => {
    try {
      await refuseTakingAway({ stores, context, proposed: lacking })
      return undefined
    } catch (error) {
      return String(error)
    }
  }
  const published = async (minutesAgo: { readonly seen: number }, digest: string) =>
    sql`update published_configurations set seen_at = now() - make_interval(mins => ${minutesAgo.seen}),
      published_at = now() - make_interval(mins => ${minutesAgo.seen}) where digest = ${digest}`.execute(
      db,
    )
  t.equal(await refusal(), undefined, 'nothing is noted')
  await store.published(full)
  t.match(await refusal(), /version removed: mandate@1\.0\.0, used by Budget app/)

  await published({ seen: 2 }, full.digest)
  await store.published(lacking)
  t.equal(await refusal(), undefined, 'what was replaced does not count')
  const processes = createProcesses({ db })
  const report = { roles: 'gateway', host: 'h', pid: 1, version: '1', generation: 1, judged: 0 }
  const id = '00000000-0000-4000-8000-000000000001'
  await processes.report({ ...report, id, digest: full.digest, refused: 'invalid' })
  t.match(await refusal(), /version removed/, 'one process still serves the one before')
  t.equal((await store.inUse()).readable.length, 2)
  await processes.remove(id)
  await store.used({ digest: full.digest })
  t.match(await refusal(), /version removed/, 'and says so to the store')
  await published({ seen: 4 }, full.digest)
  t.equal(await refusal(), undefined, 'it has ended')

  await published({ seen: 50 }, 'lacking')
  t.same(
    (await store.inUse()).readable.map(({ isRunning }) => isRunning),
    [false],
  )
  t.match(await refusal(), /version removed/, 'the last one counts while no gateway runs')
  const content = gzipSync('{"format":1000000}')
  await db.insertInto('published_configurations').values({ digest: 'newer', content }).execute()
  t.same(await store.inUse(), { readable: [], unreadable: ['newer'] })
  t.match(await refusal(), /another release has noted .* nothing is reloaded.*\n.*\n.*--force/s)
})

t.test('a process that ended without a word is unseen for an hour', async (t) => {
  const { database } = await testDatabase(t)
  const db = database.connect<RegistrySchema>()
  const processes = createProcesses({ db })
  const report = { roles: 'gateway', host: 'h', version: '1', generation: 1, judged: 0 }
  const enter = (last: number, pid: number) =>
    processes.report({
      ...report,
      pid,
      digest: 'd',
      refused: undefined,
      id: `00000000-0000-4000-8000-00000000000${last}`,
    })
  const pids = async () => ({
    living: (await processes.living()).map(({ pid }) => pid),
    unseen: (await processes.unseen()).map(({ pid }) => pid),
  })
  const silent = (seconds: number) =>
    sql`update processes set seen_at = now() - make_interval(secs => ${seconds}), started_at = now() - interval '2 hours'`.execute(
      db,
    )
  await enter(1, 1)
  await enter(2, 2)
  await silent(60)
  t.same(await pids(), { living: [], unseen: [1, 2] })
  await enter(3, 2)
  t.same(await pids(), { living: [2], unseen: [1] }, 'the number of an ended process came again')
  await enter(1, 1)
  t.same(await pids(), { living: [1, 2], unseen: [] }, 'it reports again')
  await silent(3_700)
  t.same(await pids(), { living: [], unseen: [] })
})
