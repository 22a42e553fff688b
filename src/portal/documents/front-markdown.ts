import type { ApiVersion } from '../../catalogue/catalogue.ts'
import { versionTitle } from '../../catalogue/in-language.ts'
import { isRetired } from '../../catalogue/lifecycle.ts'
import type { Language } from '../../messages/language.ts'
import { wordsOf } from '../../messages/words.ts'
import { languageQuery } from '../api/language-query.ts'
import type { FrontPage } from '../api/schemas/catalogue.ts'
import { landingTitle } from '../api/schemas/landing-title.ts'
import { limitWords } from '../api/schemas/window-words.ts'

export interface FrontMarkdownOptions {
  readonly front: FrontPage
  readonly versions: readonly ApiVersion[]
  /** Origin of the portal. */
  readonly portalUrl: string
  readonly language: Language
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** Writes the first page as Markdown: the promise, a call with its responses, and every version. */
export function frontMarkdown(options: FrontMarkdownOptions): string {
  const { front, versions, portalUrl, language, nowMs } = options
  const words = wordsOf(language)
  const { t } = words
  const query = languageQuery(language)
  const { sample, limit } = front
  const curl = sample?.samples[0]
  const rows = versions
    .filter(({ lifecycle }) => !isRetired(lifecycle, nowMs))
    .map((published) => {
      const { api, version, operations } = published
      const name = versionTitle(published, language)
      const count = t('landing.operationCount', { count: operations.length })
      return `- [${name}](${portalUrl}/apis/${api}/${version}.md${query}): ${count}`
    })
  const sections = [
    `# ${t(landingTitle(front))}`,
    t('landing.lead'),
    ...(limit === null ? [] : [limitWords(limit, words)]),
    ...(curl === undefined ? [] : [`## ${t('landing.sample')}`, fenced('bash', curl.source)]),
    ...(sample?.answers ?? []).flatMap(({ status, text }) => [
      `### ${t('landing.answer', { status: String(status) })}`,
      fenced('json', text),
    ]),
    `## ${t('landing.versions')}`,
    rows.length === 0 ? t('landing.none.text') : rows.join('\n'),
    `[${t('landing.getKey')}](${portalUrl}/sign-up) · [llms.txt](${portalUrl}/llms.txt${query})`,
  ]
  return `${sections.join('\n\n')}\n`
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``
}
