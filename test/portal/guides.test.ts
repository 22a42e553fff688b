import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { marked } from 'marked'
import t from 'tap'
import type { ApiVersion, Catalogue } from '../../src/catalogue/catalogue.ts'
import { keptDocument } from '../../src/catalogue/documents/kept-document.ts'
import { languages } from '../../src/messages/language.ts'
import { wordsOf } from '../../src/messages/words.ts'
import { type ErrorCode, errors } from '../../src/platform/http/errors.ts'
import { errorWords, isErrorCode } from '../../src/portal/api/error-words.ts'
import { guideGaps } from '../../src/portal/guides/guide-gaps.ts'
import { createGuides } from '../../src/portal/guides/guides.ts'
import { renderMarkdown } from '../../src/portal/guides/render-markdown.ts'
import { createSearchIndex } from '../../src/portal/guides/search-index.ts'
import { pagePaths } from '../../src/portal/pages/page-paths.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'

const catalogue = await publishedCatalogue()
const services = {
  catalogue: () => catalogue,
  gatewayUrl: () => 'https://api.example',
  portalUrl: () => 'https://portal.example',
  now: Date.now,
}
const guides = createGuides(services)
const folder = join(import.meta.dirname, '..', '..', 'src', 'guides')
const names = guides.list('en').map(({ name }) => name)

t.test(
  'every guide is there in every language, with the same headings and the same code',
  async (t) => {
    const files = names.map((name) => `${name}.md`).toSorted()
    const read = (language: string, name: string) =>
      marked.lexer(readFileSync(join(folder, language, `${name}.md`), 'utf8'))
    for (const language of languages) t.same(readdirSync(join(folder, language)).toSorted(), files)
    for (const name of names) {
      const outlines = languages.map((language) =>
        read(language, name).flatMap((token) => {
          if (token.type === 'heading') return [`h${token['depth']}`]
          if (token.type === 'code') return [`${token['lang']}\n${token['text']}`]
          return token.type === 'table' ? [`table of ${token['rows'].length}`] : []
        }),
      )
      t.same(outlines[1], outlines[0], name)
      t.same(
        outlines[0]?.filter((part) => part === 'h1'),
        ['h1'],
        `${name} has one title`,
      )
    }
  },
)

t.test(
  'a guide has a title, a sentence about it, and headings with the same ids in every language',
  async (t) => {
    for (const name of names) {
      const [english, hebrew] = languages.map((language) => guides.find(name, language))
      for (const guide of [english, hebrew]) {
        t.ok((guide?.title.length ?? 0) > 5, name)
        t.ok((guide?.description.length ?? 0) > 20, name)
      }
      const ids = english?.headings.map(({ id }) => id) ?? []
      t.same(
        hebrew?.headings.map(({ id }) => id),
        ids,
      )
      t.equal(new Set(ids).size, ids.length, `${name}: ids are unique`)
      t.match(hebrew?.title, /\p{Script=Hebrew}/u)
    }
    t.equal(guides.find('nothing', 'en'), undefined)
  },
)

t.test('links in guides lead to pages, headings and errors that exist', async (t) => {
  const pages = Object.values(pagePaths).map(
    (path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
  )
  let links = 0
  for (const language of languages) {
    for (const { name, parts } of guides.list(language)) {
      const html = parts.map((part) => (part.kind === 'html' ? part.html : '')).join('')
      for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g)) {
        links += 1
        const { pathname, hash, origin } = new URL(href, 'https://portal.example')
        if (origin !== 'https://portal.example') continue
        t.ok(
          pages.some((page) => page.test(pathname)),
          `${name}: ${href}`,
        )
        const [, guide] = /^\/guides\/([^/]+)$/.exec(pathname) ?? []
        if (guide === undefined) continue
        const found = guides.find(guide, language)
        t.ok(found, `${name}: ${href}`)
        const id = hash.slice(1)
        t.ok(id === '' || found?.headings.some((heading) => heading.id === id), `${name}: ${href}`)
      }
      t.notMatch(html, /\{\{/, `${name} has no place left to fill`)
    }
  }
  t.ok(links > 30)
})

t.test(
  'samples of guides come from the documents, in every language, with the address of the gateway',
  async (t) => {
    let samples = 0
    for (const { name, parts, markdown } of guides.list('en')) {
      for (const part of parts) {
        if (part.kind !== 'samples') continue
        samples += 1
        t.same(
          part.samples.map(({ label }) => label),
          ['curl', 'Node.js', 'Python'],
        )
        // An id that no earlier sample of the guide gives would be the document's example, which the bank does not know.
        t.notMatch(
          part.samples[0]?.source,
          /[0-9a-f]{8}-[0-9a-f]{4}-/,
          `${name} ${part.operation.id}`,
        )
        for (const { source } of part.samples)
          t.match(
            source,
            `https://api.example${catalogue.versions.get(`${part.operation.api}@${part.operation.version}`)?.prefix}`,
          )
      }
      t.notMatch(markdown, /^```(sample|answer)/m, `${name} as Markdown has the samples in place`)
      t.notMatch(markdown, /\]\(\//, `${name} as Markdown has absolute links`)
    }
    t.ok(samples > 20)
  },
)

/** The catalogue, with other documents or operations of xs2a. */
function catalogueWith(change: (published: ApiVersion) => Partial<ApiVersion>): Catalogue {
  const changed = [...catalogue.versions].map(([key, published]): [string, ApiVersion] => [
    key,
    published.api === 'xs2a' ? { ...published, ...change(published) } : published,
  ])
  return { ...catalogue, versions: new Map(changed) }
}

t.test(
  'a document without sample flows leaves out samples, one without an operation the guides that show it; all else is there',
  async (t) => {
    const withoutFlows = catalogueWith(({ document }) => ({
      document: keptDocument({ ...document.read(), 'x-sample-flows': undefined }),
    }))
    const withoutOperation = catalogueWith(({ operations }) => ({
      operations: operations.filter(({ id }) => id !== 'getConsentStatus'),
    }))
    for (const language of languages) {
      const fewer = createGuides({ ...services, catalogue: () => withoutFlows })
      t.same(
        fewer.list(language).map(({ name }) => name),
        names,
      )
      const first = fewer.find('first-call', language)
      t.notOk(first?.parts.some(({ kind }) => kind === 'samples'))
      t.notMatch(first?.markdown, /^```(sample|answer)/m)

      const other = createGuides({ ...services, catalogue: () => withoutOperation })
      t.same(
        other.list(language).map(({ name }) => name),
        names.filter((name) => name !== 'consent'),
      )
      t.equal(other.find('consent', language), undefined)
      t.ok(other.find('first-call', language)?.parts.some(({ kind }) => kind === 'samples'))
    }
    t.same(guideGaps(catalogue, Date.now()), [])
    t.same(guideGaps(withoutOperation, Date.now()), [
      {
        guide: 'consent',
        version: 'xs2a 1.7.0',
        operationId: 'getConsentStatus',
        lacks: 'operation',
      },
    ])
    t.ok(guideGaps(withoutFlows, Date.now()).every(({ lacks }) => lacks === 'sample'))
  },
)

t.test(
  'a guide follows its API to the newest version that has what it shows and is not deprecated',
  async (t) => {
    const current = catalogue.versions.get('xs2a@1.7.0')
    if (current === undefined) throw new Error('not published')
    const next = { ...current, version: '1.8.0', prefix: '/v1.8.0' }
    const withNext = (changes: Partial<ApiVersion>): string => {
      const versions = new Map([
        ...catalogue.versions,
        ['xs2a@1.8.0', { ...next, ...changes }] as const,
      ])
      const guide = createGuides({ ...services, catalogue: () => ({ ...catalogue, versions }) })
      return guide.find('consent', 'en')?.markdown ?? ''
    }
    t.match(withNext({}), 'https://api.example/v1.8.0/consents')
    const later = { lifecycle: { deprecated: '2020-01-01' } }
    t.match(withNext(later), 'https://api.example/v1.7.0/consents', 'a deprecated one comes last')
    const fewer = { operations: current.operations.filter(({ id }) => id !== 'getConsentStatus') }
    t.match(withNext(fewer), 'https://api.example/v1.7.0/consents', 'so does one that lacks a call')
    for (const language of languages) {
      const title = language === 'en' ? 'Payments, accounts' : 'תשלומים, חשבונות'
      t.match(guides.find('first-call', language)?.markdown, title)
    }
  },
)

t.test('the guide to errors has every code of the error table under its own heading', async (t) => {
  for (const language of languages) {
    const headings = guides.find('errors', language)?.headings ?? []
    const codes = headings.filter(({ level }) => level === 3).map(({ id }) => id)
    t.same(codes.toSorted(), Object.keys(errors).toSorted())
  }
})

t.test(
  'the help for a limit that is used up, and its guide, name the button that asks for more',
  async (t) => {
    for (const language of languages) {
      const button = wordsOf(language).t('moreCalls.ask')
      t.match(errorWords(language).get('QUOTA_EXCEEDED')?.help, button)
      t.match(guides.find('limits', language)?.markdown, button)
    }
  },
)

t.test('the English title of an error is the one that the API answers with', async (t) => {
  const { t: say } = wordsOf('en')
  for (const [code, { title }] of Object.entries(errors)) {
    // The keys of the table are its codes.
    t.equal(say(`error.${code as ErrorCode}.title`), title)
  }
})

t.test(
  'nothing in a guide can run: HTML is shown as text, and links leave only by https',
  async (t) => {
    const { parts } = renderMarkdown(
      '# T\n\nLead.\n\n<script>alert(1)</script>\n\nA <b onclick="x">word</b>, [a](javascript:alert(1)), [b](//evil.example), [c](http://evil.example), [f](/\\\\evil.example), [g](</\t/evil.example>), ![d](https://evil.example/x.png), [e](/guides?a="b")\n\n## <img src=x>\n',
    )
    const html = parts.map((part) => (part.kind === 'html' ? part.html : '')).join('')
    const tags = [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag)
    t.same(tags, [
      '<p>',
      '<a href="/guides?a=&quot;b&quot;">',
      '</a>',
      '</p>',
      '<h2 id="img-src-x">',
      '</h2>',
    ])
  },
)

t.test(
  'the search finds guides, operations and errors in both languages, and every address exists',
  async (t) => {
    const search = createSearchIndex({ ...services, sandbox: undefined, guides })
    for (const language of languages) {
      const entries = await search(language)
      for (const name of names)
        t.ok(
          entries.some(({ href }) => href === `/guides/${name}`),
          name,
        )
      const codes = entries.filter(({ kind }) => kind === 'error').map(({ title }) => title)
      t.same(codes.filter(isErrorCode).length, Object.keys(errors).length)
      t.equal(entries.filter(({ kind }) => kind === 'operation').length, 45)
      t.equal(new Set(entries.map(({ href }) => href)).size, entries.length, 'each once')
    }
  },
)
