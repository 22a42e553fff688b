import type { PartValues, Words } from '../../messages/format.ts'
import type { PublishedApis, PublishedPlan, PublishedVersion } from '../api/schemas/catalogue.ts'
import { limitWords } from '../api/schemas/window-words.ts'
import { utcDay } from '../mail/utc-time.ts'
import { documentHtml, escapeHtml, linkHtml } from './escape-html.ts'
import type { PageLook } from './page-look.ts'
import { pagePaths } from './page-paths.ts'

/** Already escaped. */
interface Html {
  readonly html: string
}

/**
 * The landing page for readers without JavaScript, as HTML: every API and
 * version with its operations and a link to its document.
 */
export function landingContent(
  { items }: PublishedApis,
  words: Words,
  { hasSandbox }: Pick<PageLook, 'hasSandbox'>,
): string {
  const { t, language } = words
  const introduction = written(words, 'noscript.introduction', {
    keyHeader: code('X-API-Key'),
    limitHeader: code('RateLimit'),
  })
  const sections = items.map(({ api, title, versions }) => {
    const parts = versions.map((version, at) => {
      const before = versions[at - 1]?.version
      return versionSection(api, version, before, words)
    })
    return `<h2>${documentHtml(title, language)}</h2>\n${parts.join('\n')}`
  })
  const places = [
    linkHtml(pagePaths.guides, t('shell.guides')),
    ...(hasSandbox ? [linkHtml(pagePaths.sandbox, t('shell.sandbox'))] : []),
    linkHtml('/problems/', t('shell.errors')),
  ]
  return `<h1>${escapeHtml(t('noscript.title'))}</h1>\n<p>${introduction}</p>\n<p>${places.join(' · ')}</p>\n${sections.join('\n')}`
}

/** @param before the version before this one; undefined: none */
function versionSection(
  api: string,
  published: PublishedVersion,
  before: string | undefined,
  words: Words,
): string {
  const { version, operations, plans } = published
  const { t, language } = words
  const document = linkHtml(`/api/apis/${api}/${version}/openapi.json`, t('noscript.document'))
  const query = new URLSearchParams({ from: before ?? '', to: version, language })
  const changes =
    before === undefined
      ? []
      : [linkHtml(`/apis/${api}/diff.md?${query}`, t('noscript.changes', { version: before }))]
  const heads = [t('noscript.method'), t('noscript.path'), t('noscript.purpose')]
  const rows = operations.map(
    ({ method, path, summary }) =>
      `<tr><td>${code(method).html}</td><td>${code(path).html}</td><td>${documentHtml(summary, words.language)}</td></tr>`,
  )
  return `<h3>${documentHtml(`${published.title} ${version}`, words.language)}</h3>
<p>${[...lifecycleNotes(published, words), document, ...changes].join(' · ')}</p>
${plans.flatMap((plan) => planTerms(plan, words)).join('\n')}
<table><thead><tr>${heads.map((head) => `<th scope="col">${escapeHtml(head)}</th>`).join('')}</tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`
}

function lifecycleNotes({ lifecycle }: PublishedVersion, words: Words): string[] {
  const { deprecated, sunset, successor } = lifecycle
  const { t, language } = words
  const notes = [
    deprecated === undefined
      ? []
      : t('noscript.deprecated', { day: utcDay(new Date(deprecated), language) }),
    sunset === undefined ? [] : t('noscript.ends', { day: utcDay(new Date(sunset), language) }),
    successor === undefined ? [] : t('noscript.successor', { version: successor }),
  ]
  return notes.flat().map(escapeHtml)
}

function planTerms({ title, limits }: PublishedPlan, words: Words): string[] {
  return limits.map((limit) => {
    const values = {
      plan: { html: documentHtml(title, words.language) },
      limit: { html: escapeHtml(limitWords(limit, words)) },
    }
    return `<p>${written(words, 'noscript.plan', values)}</p>`
  })
}

/** A message with elements, as HTML. */
function written(
  words: Words,
  id: Parameters<Words['parts']>[0],
  values: PartValues<Html>,
): string {
  const parts = words.parts<Html>(id, values)
  return parts.map((part) => (typeof part === 'string' ? escapeHtml(part) : part.html)).join('')
}

function code(text: string): Html {
  return { html: `<code dir="ltr">${escapeHtml(text)}</code>` }
}
