import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { IntlMessageFormat } from 'intl-messageformat'
import t from 'tap'
import { createWords } from '../../src/messages/format.ts'
import { languageFacts, languageOf, languages } from '../../src/messages/language.ts'

const src = join(import.meta.dirname, '..', '..', 'src')
const tables = new Map(
  languages.map((language) => {
    const text = readFileSync(join(src, 'messages', `${language}.json`), 'utf8')
    return [language, JSON.parse(text) as Record<string, string>]
  }),
)
const english = tables.get('en') ?? {}

t.test('every message exists in every language, and its file is sorted', async (t) => {
  const ids = Object.keys(english)
  t.ok(ids.length > 20)
  for (const [language, table] of tables) {
    t.same(Object.keys(table), ids.toSorted(), language)
    for (const [id, text] of Object.entries(table)) t.not(text.trim(), '', `${language} ${id}`)
  }
})

t.test('a message has the same arguments and tags in every language', async (t) => {
  for (const [language, table] of tables) {
    const { locale } = languageFacts[language]
    for (const [id, text] of Object.entries(table)) {
      const names = argumentsOf(new IntlMessageFormat(text, locale).getAst())
      const expected = argumentsOf(new IntlMessageFormat(english[id] ?? '', 'en').getAst())
      t.same(names, expected, `${language} ${id}`)
    }
  }
})

t.test(
  'no name is both an argument and a tag of a message, since both are passed by name',
  async (t) => {
    for (const [id, text] of Object.entries(english)) {
      const tags = new Set([...text.matchAll(/<(\w+)>/g)].map(([, name]) => name))
      const names = [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name)
      t.same(
        names.filter((name) => tags.has(name)),
        [],
        id,
      )
    }
  },
)

t.test('Hebrew messages are in Hebrew, and English messages contain no Hebrew', async (t) => {
  const hebrew = /\p{Script=Hebrew}/u
  for (const [id, text] of Object.entries(tables.get('he') ?? {})) {
    const words = text.replaceAll(/\{[^{}]*\}|<[^<>]*>|[A-Z0-9][\w.:/-]*/g, '')
    t.ok(hebrew.test(text) || !/[a-z]{3}/.test(words), `${id}: ${text}`)
  }
  for (const [id, text] of Object.entries(english)) t.notOk(hebrew.test(text), id)
})

t.test(
  'an apostrophe is typographic in messages and straight in Markdown and API texts',
  async (t) => {
    const straight = Object.entries(english).filter(([, text]) => /\p{L}'(?!\{)/u.test(text))
    t.same(straight, [])
    const root = join(src, '..')
    const curly = globSync(['src/guides/*/*.md', 'config/**/*.yaml'], { cwd: root }).filter(
      (file) => readFileSync(join(root, file), 'utf8').includes('’'),
    )
    t.same(curly, [])
  },
)

t.test('Hebrew messages, guides and API texts follow the glossary', async (t) => {
  const root = join(src, '..')
  const files = ['src/messages/*.json', 'src/guides/he/*.md', 'config/apis/**/*.yaml']
  const wrong = {
    'a hyphen where a maqaf belongs': /[א-ת]-(?=\S)/u,
    'a straight quotation mark': /[א-ת]\\?"(?=[א-ת])|"\{\{/u,
    'a word that the glossary replaces':
      /סירוב|גורם אימות|גורמי|הזו(?![א-ת])|מייל|שיטה|gateway|פיקטיבי|קריאת ה?(?:חשבונות|יתרות|נתונים|מצב|הרשאה)/u,
  }
  for (const file of files.flatMap((pattern) => globSync(pattern, { cwd: root }))) {
    const hebrew = readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => /\p{Script=Hebrew}/u.test(line))
    for (const [what, pattern] of Object.entries(wrong)) {
      const found = hebrew.filter((line) =>
        pattern.test(line.replace(/^ *(?:'(?:[^']|'')*'|"[^"]*"):|"x-[^"]*"/, '')),
      )
      t.same(found, [], `${file}: ${what}`)
    }
  }
})

t.test('call counts use the words of the glossary: allowed, refused and failed', async (t) => {
  const others = [
    ['en', /answered|forwarded|admitted|served/i],
    ['he', /נענ|הועבר/u],
  ] as const
  for (const [language, pattern] of others) {
    const found = Object.entries(tables.get(language) ?? {}).filter(
      ([id, text]) =>
        /^(appOverview|outcome|overview|refusals|usage)\./.test(id) &&
        pattern.test(text.replaceAll(/\{\w+/g, '')),
    )
    t.same(found, [], language)
  }
})

t.test('every rule that a change can break has a message', async (t) => {
  const rules = globSync('{registry,portal}/**/*.ts', { cwd: src }).flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8')
    const thrown = text.matchAll(/(?:members: \{ rule: |RegistryConflict\(\s*)'([a-z-]+)'/g)
    const translated = text.matchAll(/conflictAt\(\s*'\w+',\s*'([a-z-]+)'/g)
    return [...thrown, ...translated].map(([, rule = '']) => rule)
  })
  t.ok(new Set(rules).size > 20)
  for (const rule of new Set(rules)) t.ok(english[`conflict.${rule}`], rule)
})

t.test('no message with arguments is used without them', async (t) => {
  const incomplete = globSync('**/*.{ts,tsx}', { cwd: src }).flatMap((file) => {
    const asked = readFileSync(join(src, file), 'utf8').matchAll(/\bt\(\s*'([\w.-]+)',?\s*\)/g)
    return [...asked]
      .map(([, id = '']) => id)
      .filter(
        (id) => argumentsOf(new IntlMessageFormat(english[id] ?? '', 'en').getAst()).length > 0,
      )
      .map((id) => `${file}: ${id}`)
  })
  t.same(incomplete, [])
})

t.test('every message is used', async (t) => {
  const code = globSync('**/*.{ts,tsx}', { cwd: src }).map((file) =>
    readFileSync(join(src, file), 'utf8'),
  )
  const whole = code.join('\n')
  // Where a part of the id is a value, as in t(`scheme.${scheme}`).
  const patterns = [...whole.matchAll(/`([a-z]\w*\.[^`\s]*\$\{[^`\s]*)`/g)].map(
    ([, template = '']) =>
      new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\$\{[^}]*\}/g, '[\\w.-]+')}$`),
  )
  for (const id of Object.keys(english)) {
    const isUsed =
      whole.includes(`'${id}'`) || whole.includes(`"${id}"`) || patterns.some((p) => p.test(id))
    t.ok(isUsed, id)
  }
})

t.test(
  'the language of a request comes from the cookie, then from Accept-Language, then is English',
  async (t) => {
    t.equal(languageOf({}), 'en')
    t.equal(languageOf({ 'accept-language': 'he-IL,he;q=0.9,en;q=0.8' }), 'he')
    t.equal(languageOf({ 'accept-language': 'fr, en;q=0.2, he;q=0.7' }), 'he')
    t.equal(languageOf({ 'accept-language': 'iw' }), 'he')
    t.equal(languageOf({ 'accept-language': 'he;q=0, en' }), 'en')
    t.equal(languageOf({ 'accept-language': 'fr' }), 'en')
    t.equal(languageOf({ cookie: 'a=b; language=en', 'accept-language': 'he' }), 'en')
    t.equal(languageOf({ cookie: 'language=xx', 'accept-language': 'he' }), 'he')
  },
)

t.test('in right-to-left text, inserted text keeps its own direction', async (t) => {
  const { t: say } = createWords('he', {
    ...tables.get('he'),
    'shell.account': 'של {name}',
  } as never)
  t.equal(say('shell.account', { name: 'Dana Cohen' }), 'של \u2068Dana Cohen\u2069')
  const { t: choose } = createWords('he', {
    ...tables.get('he'),
    'shell.account': '{kind, select, key {מפתח} other {אחר}}',
  } as never)
  t.equal(
    choose('shell.account', { kind: 'key' }),
    'מפתח',
    'a value that only selects is not isolated',
  )
})

type Ast = ReturnType<IntlMessageFormat['getAst']>

/** Names of arguments and tags; the literal, `#` and nested cases do not count. */
function argumentsOf(ast: Ast): string[] {
  const names = new Set<string>()
  const visit = (elements: Ast): void => {
    for (const element of elements) {
      if ('value' in element && element.type !== 0) names.add(element.value)
      if ('options' in element) for (const { value } of Object.values(element.options)) visit(value)
      if ('children' in element) visit(element.children)
    }
  }
  visit(ast)
  return [...names].toSorted()
}
