import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { compareCatalogues } from '../../src/catalogue/compare-catalogues.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'

const minimal = 'test/catalogue/fixtures/minimal'
const nowMs = Date.parse('2026-11-20T12:00:00Z')
const plan = 'plans/default.yaml'
const old = 'apis/library/1.0.0.yaml'
const limitLines = '  - name: default\n    calls: 100\n    window: PT1H\n    scope: operation'
const young = 'apis/library/1.1.0.yaml'

type Edit = readonly [file: string, text: string, replacement: string]

/** What a changed copy of the library changes: `kind subject from -> to harm`, without an empty part. */
async function changesOf(
  t: Test,
  {
    edits = [],
    removed = [],
  }: { readonly edits?: readonly Edit[]; readonly removed?: readonly string[] },
): Promise<readonly string[]> {
  const folder = join(t.testdir(), String(Math.random()))
  cpSync(minimal, folder, { recursive: true })
  for (const [file, text, replacement] of edits) {
    const before = readFileSync(join(folder, file), 'utf8')
    if (!before.includes(text)) throw new Error(`${file} has no ${text}`)
    writeFileSync(
      join(folder, file),
      before.replace(text, () => replacement),
    )
  }
  for (const file of removed) rmSync(join(folder, file))
  const [from, to] = await Promise.all([loadCatalogue(minimal), loadCatalogue(folder)])
  return compareCatalogues({ from, to, nowMs }).map((change) => {
    const { kind, version, operation, limit, harm } = change
    const subject = [version, operation, change.plan, limit].filter((part) => part !== undefined)
    const values = [change.from ?? '', change.to ?? ''].join(' -> ')
    return `${[kind, ...subject].join(' ')}: ${values} ${harm}`
  })
}

t.test('versions and operations', async (t) => {
  t.same(await changesOf(t, {}), [], 'nothing changes')
  t.same(await changesOf(t, { removed: [old] }), ['version.removed 1.0.0:  ->  removes'])
  const lifecycle = (text: string): Edit => [
    young,
    'version: 1.1.0',
    `version: 1.1.0\n  x-lifecycle: ${text}`,
  ]
  t.same(
    await changesOf(t, {
      edits: [lifecycle("{ deprecated: '2026-12-01', sunset: '2027-12-01' }")],
    }),
    ['version.deprecated 1.1.0:  -> 2026-12-01 none', 'version.sunset 1.1.0:  -> 2027-12-01 none'],
  )
  t.same(await changesOf(t, { edits: [lifecycle("{ retired: '2027-12-01' }")] }), [
    'version.retired 1.1.0:  -> 2027-12-01 restricts',
  ])
  t.same(await changesOf(t, { edits: [lifecycle("{ retired: '2026-11-20' }")] }), [
    'version.retired 1.1.0:  -> 2026-11-20 removes',
  ])
})

t.test('plans and limits', async (t) => {
  const limits = async (text: string) => changesOf(t, { edits: [[plan, limitLines, text]] })
  const limit = (name: string, calls: number, window: string, scope = 'operation') =>
    `  - { name: ${name}, calls: ${calls}, window: ${window}, scope: ${scope} }`
  t.same(await limits(limit('default', 50, 'PT1H')), [
    'limit.calls default default: 100 -> 50 restricts',
  ])
  t.same(await limits(limit('default', 200, 'PT1H')), [
    'limit.calls default default: 100 -> 200 none',
  ])
  t.same(await limits(limit('default', 100, 'PT2H')), [
    'limit.window default default: PT1H -> PT2H restricts',
  ])
  t.same(await limits(limit('default', 100, 'PT30M', 'plan')), [
    'limit.window default default: PT1H -> PT30M none',
    'limit.scope default default: operation -> plan restricts',
  ])
  t.same(await limits(limit('hourly', 100, 'PT1H')), [
    'limit.removed default default: 100 calls per PT1H, scope operation ->  none',
    'limit.added default hourly:  -> 100 calls per PT1H, scope operation restricts',
  ])
  t.same(
    await changesOf(t, {
      edits: [
        [plan, 'mode: enforce', 'mode: observe'],
        [plan, limitLines, limit('default', 50, 'PT1H')],
      ],
    }),
    ['plan.mode default: enforce -> observe none', 'limit.calls default default: 100 -> 50 none'],
    'a plan that only observes takes nothing',
  )
})
