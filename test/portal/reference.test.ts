import t from 'tap'
import { blocksOf, partsOf } from '../../src/portal/documents/markup-blocks.ts'
import { schemaFacts } from '../../src/portal-ui/reference/schema-facts.ts'

t.test('the reference reads rich schemas, and odd ones do not break it', async (t) => {
  const object = (name: string) => ({ type: 'object', properties: { [name]: {} } })
  const lists = { type: 'array', items: { type: 'array', items: object('deep') } }
  t.match(schemaFacts({}, lists), { type: 'array of array of object', members: [{ name: 'deep' }] })

  const choices = { allOf: [{ oneOf: [object('a'), object('b')] }, { oneOf: [object('c')] }] }
  const { type, forms } = schemaFacts({}, choices)
  t.equal(type, 'one of several')
  t.same(
    forms.map((group) => group.map(({ schema }) => schema)),
    [[object('a'), object('b')], [object('c')]],
  )

  t.match(schemaFacts({}, { enum: [{ a: 1 }, [2], null, 'x'] }), {
    choices: ['{"a":1}', '[2]', 'null', 'x'],
  })
  t.match(schemaFacts({}, { $ref: '#/a/%zz' }), { type: 'any', members: [] })

  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const schemas: Record<string, unknown> = {
    S0: { ...object('a'), required: ['a'] },
    Lists: { type: 'array', items: ref('Lists') },
    Itself: { allOf: [ref('Itself')] },
  }
  for (let level = 1; level <= 40; level += 1) {
    schemas[`S${level}`] = { allOf: [ref(`S${level - 1}`), ref(`S${level - 1}`)] }
  }
  const document = { components: { schemas } }
  t.match(schemaFacts(document, ref('S12')), { members: [{ name: 'a', isRequired: true }] })
  // Deeper than what is read, or without an end: few facts, at once.
  for (const name of ['S40', 'Lists', 'Itself']) t.same(schemaFacts(document, ref(name)).forms, [])
})

t.test('a list stays one list, and keeps counting, across blank lines', async (t) => {
  t.same(blocksOf('Steps:\n\n1. Sign up\n   by mail\n\n2. Call\n\nDone.\n\nBye.'), [
    { kind: 'paragraph', lines: ['Steps:'] },
    { kind: 'numbers', lines: ['Sign up by mail', 'Call'] },
    { kind: 'paragraph', lines: ['Done.'] },
    { kind: 'paragraph', lines: ['Bye.'] },
  ])
})

t.test('of a long description the beginning shows, and a line for each section', async (t) => {
  const long = 'word '.repeat(200).trim()
  const split = (text: string) => {
    const { beginning, sections } = partsOf(text)
    return [beginning.trim(), ...sections.map((each) => [each.title, each.text.trim()])]
  }
  for (const [what, text, parts] of [
    ['short, without headings', 'Short.\n\nAll of it.', ['Short.\n\nAll of it.']],
    [
      'short',
      '# Orders\n\nShort.\n\n## Errors\n\nAll.',
      ['# Orders\n\nShort.', ['Errors', 'All.']],
    ],
    [
      'long',
      `# Orders\n\n${long}\n\nMore.\n\n## Errors\n\nAll.\n\n## Limits\n\nNone.`,
      [`# Orders\n\n${long}`, [undefined, 'More.'], ['Errors', 'All.'], ['Limits', 'None.']],
    ],
    [
      'a title and the first heading one after the other',
      '# Orders\n\n## Overview\n\nWords.\n\n## Errors\n\nAll.',
      ['# Orders\n\n## Overview\n\nWords.', ['Errors', 'All.']],
    ],
    [
      'headings below a heading stay with it',
      'Words.\n\n## Errors\n\n### 4xx\n\nYours.\n\n### 5xx\n\nOurs.\n\n## Limits\n\nNone.',
      ['Words.', ['Errors', '### 4xx\n\nYours.\n\n### 5xx\n\nOurs.'], ['Limits', 'None.']],
    ],
    ['a heading with nothing below it', 'Words.\n\n## Errors', ['Words.']],
    ['headings alone', '# Orders\n\n## Errors', ['# Orders\n\n## Errors']],
    [
      'a heading inside code',
      'Words.\n\n```\n# not a heading\n```\n\n## Errors\n\nAll.',
      ['Words.\n\n```\n# not a heading\n```', ['Errors', 'All.']],
    ],
    ['nothing', '', ['']],
  ] as const) {
    t.same(split(text), parts, what)
  }
})
