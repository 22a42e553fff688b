import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { ApiVersion, Limit, Operation, Plan } from '../../src/catalogue/catalogue.ts'
import { type Compared, compareCatalogues } from '../../src/catalogue/compare-catalogues.ts'
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

/** A different value for each member that a call feels; null: no call feels it, or it follows from another member. */
type Felt<Of> = { readonly [Member in keyof Required<Of>]: Required<Of>[Member] | null }

t.test('whatever a call feels is a change', async (t) => {
  const catalogue = await loadCatalogue(minimal)
  const own = catalogue.versions.get('library@1.1.0')
  const terms = catalogue.plans.get('default')
  const [limit] = terms?.limits ?? []
  const [operation] = own?.operations ?? []
  if (own === undefined || terms === undefined || limit === undefined || operation === undefined) {
    throw new Error('the fixture has changed')
  }
  const rehearsal = {
    name: 'next',
    title: 'Next',
    apis: terms.apis,
    versions: ['library@1.1.0'],
    limits: terms.limits,
    onStoreOutage: terms.onStoreOutage,
  }
  const withPlan = (plan: Plan): Compared => ({
    ...catalogue,
    plans: new Map([['default', plan]]),
  })
  const withVersion = (version: ApiVersion): Compared => ({
    ...catalogue,
    versions: new Map([...catalogue.versions, ['library@1.1.0', version]]),
  })
  const differs = (to: Compared, name: string, from: Compared = catalogue) =>
    t.not(compareCatalogues({ from, to, nowMs }).length, 0, name)
  function each<Of extends object>(
    felt: Felt<Of>,
    test: (part: Partial<Of>, name: string) => void,
  ) {
    for (const [name, value] of Object.entries(felt)) {
      if (value !== null) test({ [name]: value } as Partial<Of>, name)
    }
  }

  each<Limit>(
    { name: 'other', calls: 99, windowLength: 60, scope: 'plan', isAdvertised: false },
    (part, name) => {
      const limits = [{ ...limit, ...part }]
      differs(withPlan({ ...terms, limits }), `limit ${name}`)
      const rehearsed = withPlan({ ...terms, rehearsal })
      differs(
        withPlan({ ...terms, rehearsal: { ...rehearsal, limits } }),
        `rehearsed limit ${name}`,
        rehearsed,
      )
    },
  )
  each<Plan>(
    {
      name: null,
      title: null,
      description: null,
      translations: null,
      apis: null,
      limits: [],
      mode: 'observe',
      onStoreOutage: 'deny',
      rehearsal,
    },
    (part, name) => differs(withPlan({ ...terms, ...part }), `plan ${name}`),
  )
  each<ApiVersion>(
    {
      api: null,
      version: null,
      title: null,
      prefix: '/elsewhere',
      basePath: '/elsewhere',
      backend: 'http://10.0.0.7',
      forwardHeaders: 'declared',
      credentials: null,
      successorPrefix: null,
      translations: null,
      // Edited as files, below.
      document: null,
      lifecycle: { deprecated: '2026-12-01' },
      operations: [],
      plans: [],
    },
    (part, name) => differs(withVersion({ ...own, ...part }), `version ${name}`),
  )
  each<Operation>(
    {
      api: null,
      version: null,
      path: null,
      segments: null,
      summary: null,
      tag: null,
      availableIn: null,
      declared: null,
      // Edited as files, below and in diff.test.ts.
      method: null,
      template: null,
      hasBody: null,
      id: 'other',
      psd2Role: 'PSP_PI',
    },
    (part, name) =>
      differs(
        withVersion({ ...own, operations: [{ ...operation, ...part }] }),
        `operation ${name}`,
      ),
  )
  const responses = "      responses:\n        '200':\n          description: The book."
  const edits: readonly Edit[] = [
    [young, '    get:', '    put:'],
    [young, '/books/{book-id}:', '/volumes/{book-id}:'],
    [young, 'security: [{ apiKey: [] }]', 'security: []'],
    [young, 'security: [{ apiKey: [] }]', 'security: [{ apiKey: [] }]\n      deprecated: true'],
    [young, '      responses:', '      x-psd2-role: PSP_AI\n      responses:'],
    [
      young,
      '      responses:',
      '      parameters: [{ name: page, in: query, required: true, schema: { type: integer } }]\n      responses:',
    ],
    [young, responses, responses.replace('200', '203')],
    [young, 'application/json:', 'application/hal+json:'],
  ]
  for (const edit of edits) t.not((await changesOf(t, { edits: [edit] })).length, 0, edit[2])
  t.same(
    await changesOf(t, {
      edits: [[young, '      responses:', '      x-psd2-role: PSP_AI\n      responses:']],
    }),
    [
      'operation.changed 1.1.0 readBook:  -> operation: role of the client certificate changed from any to PSP_AI restricts',
    ],
  )
  t.same(
    await changesOf(t, {
      edits: [[plan, 'scope: operation', 'scope: operation\n    advertise: false']],
    }),
    ['limit.advertise default default: true -> false none'],
  )
})
