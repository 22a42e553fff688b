import type { ApiVersion } from '../../catalogue/catalogue.ts'
import { versionTitle } from '../../catalogue/in-language.ts'
import { isDeprecated, isRetired } from '../../catalogue/lifecycle.ts'
import type { Language } from '../../messages/language.ts'
import { wordsOf } from '../../messages/words.ts'
import { languageQuery } from '../api/language-query.ts'
import type { Guide } from './guides.ts'

export interface LlmsTextOptions {
  readonly guides: readonly Pick<Guide, 'name' | 'title' | 'description'>[]
  readonly versions: readonly ApiVersion[]
  /** Origin of the portal. */
  readonly portalUrl: string
  /** The bank's, as the portal shows it. */
  readonly brandName: string
  readonly language: Language
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** Writes `/llms.txt`: what a program that reads for a developer finds here (llmstxt.org). */
export function llmsText(options: LlmsTextOptions): string {
  const { guides, versions, portalUrl, brandName, language, nowMs } = options
  const { t } = wordsOf(language)
  const query = languageQuery(language)
  const guideRows = guides.map(
    ({ name, title, description }) =>
      `- [${title}](${portalUrl}/guides/${name}.md${query}): ${description}`,
  )
  const current = versions.filter(({ lifecycle }) => !isRetired(lifecycle, nowMs))
  const named = current.map((version) => ({
    ...version,
    name: versionTitle(version, language),
  }))
  const referenceRows = named.map(({ api, version, name, lifecycle }) => {
    const note = isDeprecated(lifecycle, nowMs) ? ` (${t('llms.deprecated')})` : ''
    return `- [${name}${note}](${portalUrl}/apis/${api}/${version}.md${query}): ${t('llms.referenceOf')}`
  })
  const documentRows = named.map(
    ({ api, version, name }) =>
      `- [${name}](${portalUrl}/api/apis/${api}/${version}/openapi.json${query}): ${t('llms.documentOf')}`,
  )
  return `# ${t('llms.title', { name: brandName })}

> ${t('llms.lead')}

${t('llms.howToCall')}

## ${t('llms.guides')}

${guideRows.join('\n')}

## ${t('llms.reference')}

${referenceRows.join('\n')}

## ${t('llms.documents')}

${documentRows.join('\n')}

## ${t('llms.optional')}

- [${t('llms.front')}](${portalUrl}/index.md${query}): ${t('llms.frontOf')}
- [${t('llms.errors')}](${portalUrl}/guides/errors.md${query}): ${t('llms.errorsOf')}
- [${t('llms.portal')}](${portalUrl}/api/openapi.json): ${t('llms.portalOf')}
`
}
