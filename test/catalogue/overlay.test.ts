import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import t, { type Test } from 'tap'
import { applyOverlay } from '../../src/catalogue/documents/overlay.ts'
import { createSources, readMapping } from '../../src/catalogue/source.ts'

const sets = 'test/catalogue/fixtures/overlays'

/** Applies the overlay of a folder to its document. */
function apply(configDir: string) {
  const sources = createSources({ configDir })
  const before = readMapping(sources, 'openapi.yaml', 'openapi-version')
  if (before === undefined) throw new Error('the document is no mapping')
  const text = JSON.stringify(before)
  const after = applyOverlay({ sources, path: 'overlay.yaml', document: before })
  t.equal(JSON.stringify(before), text, 'the document itself stays as it is')
  const textOf = ({ line, message }: { readonly line: number; readonly message: string }) =>
    `${line} ${message}`
  return {
    after,
    problems: sources.problems.map(textOf),
    warnings: sources.warnings().map(textOf),
    placeOf: (at: object, member?: string) => sources.place(at, member),
  }
}

/** Applies actions to a small document. */
function applied(t: Test, actions: string, version = '1.1.0') {
  const head = `overlay: ${version}\ninfo: { title: b, version: "1" }\nactions:\n`
  const folder = t.testdir({
    'openapi.yaml': 'info: { title: a, tags: [x, y] }\npaths: { /a: { get: {} }, /b: {} }\n',
    'overlay.yaml': head + actions,
  })
  return apply(folder)
}

for (const name of readdirSync(sets).filter((entry) => entry !== 'NOTICE')) {
  t.test(`the compliant set ${name} gives the document that the specification has`, async (t) => {
    const { after, problems } = apply(join(sets, name))
    t.same(problems, [])
    t.strictSame(after, load(readFileSync(join(sets, name, 'output.yaml'), 'utf8')))
  })
}

t.test('an update merges objects, joins lists and replaces other values', async (t) => {
  const update = `  - target: $.info
    update: { title: c, tags: [z], contact: { name: d } }
`
  t.strictSame(applied(t, update).after['info'], {
    title: 'c',
    tags: ['x', 'y', 'z'],
    contact: { name: 'd' },
  })
  const list = '  - { target: $.info.tags, update: [z, w] }\n'
  t.match(applied(t, list).after, { info: { tags: ['x', 'y', 'z', 'w'] } })
  t.match(
    applied(t, list, '1.0.0').after,
    { info: { tags: ['x', 'y', ['z', 'w']] } },
    'Overlay 1.0 appends one entry',
  )
  const title = '  - { target: $.info.title, update: c }\n'
  t.match(applied(t, title).after, { info: { title: 'c' } })
})

t.test('a value is removed or updated once, whatever the order of the selection', async (t) => {
  for (const [items, left] of [
    ['0,1', ['z']],
    ['2,0', ['y']],
    ['0,0', ['y', 'z']],
    ['-1,2', ['x', 'y']],
    ['1,0:3', []],
  ] as const) {
    const remove = `  - { target: "$.info.tags[${items}]", remove: true }\n`
    const list = '  - { target: $.info.tags, update: [z] }\n'
    t.strictSame(applied(t, list + remove).after['info'], { title: 'a', tags: left }, items)
  }
  const twice = `  - { target: $.info, update: { lists: [[]] } }
  - { target: "$.info.lists[0,0]", update: [u] }
`
  const info = { title: 'a', tags: ['x', 'y'], lists: [['u']] }
  t.strictSame(applied(t, twice).after['info'], info)
  const outerLast = `  - { target: "$.paths['/a','/b']['get','get']", update: { summary: d } }
  - { target: "$['paths','paths']..['get','/a']", remove: true }
`
  t.strictSame(applied(t, outerLast).after['paths'], { '/b': {} })
})

t.test('a copy takes one value to all targets, and stays a copy', async (t) => {
  const copy = `  - { target: "$.paths['/b']", copy: "$.paths['/a']" }
  - { target: "$.paths['/b'].get", update: { summary: d } }
`
  t.strictSame(applied(t, copy).after['paths'], {
    '/a': { get: {} },
    '/b': { get: { summary: 'd' } },
  })
})

t.test(
  'actions see what earlier actions did, and what they add has its place in the overlay',
  async (t) => {
    const actions = `  - { target: $.info, update: { contact: {} } }
  - { target: $.info.contact, update: { name: d } }
`
    const { after, placeOf } = applied(t, actions)
    t.match(after, { info: { contact: { name: 'd' } } })
    const { contact } = after['info'] as { contact: object }
    t.match(placeOf(contact), { file: /overlay\.yaml$/, line: 4 })
    t.match(placeOf(after), { file: /openapi\.yaml$/, line: 1 })
  },
)

t.test(
  'an action that breaks the specification is reported at its line, and changes nothing',
  async (t) => {
    const cases = {
      '{ target: $.info, update: [c] }': 'must be one',
      '{ target: $.info.title, update: { a: 1 } }': 'must be neither',
      '{ target: $.info, update: { tags: c } }': 'tags is of another kind',
      '{ target: "$.info[", remove: true }': '',
      '{ target: 5, remove: true }': 'must be a JSONPath',
      '{ target: "$.info.*", update: c }': 'values of different kinds',
      '{ target: $.info }': 'must have one of update, copy and remove',
      '{ target: $.info, copy: $.paths.* }': 'must select one value',
    }
    for (const [action, words] of Object.entries(cases)) {
      const { after, problems } = applied(t, `  - ${action}\n`)
      t.equal(problems.length, 1, action)
      t.match(problems[0], new RegExp(`^4 .*${words}`), action)
      t.match(after, { info: { title: 'a', tags: ['x', 'y'] } })
    }
    t.match(applied(t, '  - { target: $.info, copy: $.paths }\n', '1.0.0').problems, [
      /Overlay 1.1/,
    ])
    t.match(applied(t, '  - { target: $, remove: true }\n').problems, [/no mapping any more/])
  },
)

t.test('a target that selects nothing is a warning at its line', async (t) => {
  const { problems, warnings } = applied(t, '  - { target: $.nowhere, remove: true }\n')
  t.same(problems, [])
  t.same(warnings, ['4 actions[0].target: "$.nowhere" selects nothing'])
})
