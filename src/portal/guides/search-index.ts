import type { Operation } from '../../catalogue/catalogue.ts'
import { textsOf, versionTitle } from '../../catalogue/in-language.ts'
import { isRetired } from '../../catalogue/lifecycle.ts'
import type { Language } from '../../messages/language.ts'
import { errorWords } from '../api/error-words.ts'
import type { SearchEntry } from '../api/schemas/guides.ts'
import { operationFragment } from '../pages/page-paths.ts'
import type { PortalServices } from '../services.ts'
import type { Guides } from './guides.ts'

export interface SearchIndexOptions extends Pick<PortalServices, 'catalogue' | 'now' | 'sandbox'> {
  readonly guides: Guides
}

/** Lists all that a search finds without a session: guides and their headings, versions, operations, errors, people. */
export function createSearchIndex({
  catalogue,
  now,
  sandbox,
  guides,
}: SearchIndexOptions): (language: Language) => Promise<SearchEntry[]> {
  return async (language) => [
    ...guideEntries(language),
    ...versionEntries(language),
    ...errorEntries(language),
    ...(await peopleEntries(language)),
  ]

  function guideEntries(language: Language): SearchEntry[] {
    return guides.list(language).flatMap(({ name, title, description, headings }) => [
      {
        kind: 'guide' as const,
        title,
        detail: description,
        place: '',
        words: name,
        text: '',
        href: `/guides/${name}`,
      },
      // Codes of errors, the headings below these, are entries of their own.
      ...headings
        .filter(({ level }) => level === 2)
        .map((heading) => ({
          kind: 'guide' as const,
          title: heading.title,
          detail: '',
          place: title,
          words: '',
          text: heading.text,
          href: `/guides/${name}#${heading.id}`,
        })),
    ])
  }

  function versionEntries(language: Language): SearchEntry[] {
    const current = [...catalogue().versions.values()]
      .filter(({ lifecycle }) => !isRetired(lifecycle, now()))
      // Of the same operation in two versions, the newer one comes first.
      .toReversed()
    return current.flatMap((published) => {
      const { api, version, title, operations } = published
      const texts = textsOf(published, language)
      return [
        {
          kind: 'version' as const,
          title: versionTitle(published, language),
          detail: '',
          place: '',
          words: `${title} ${api}@${version} openapi`,
          text: '',
          href: `/apis/${api}/${version}`,
        },
        ...operations.map((operation) => ({
          kind: 'operation' as const,
          title: texts.operation(operation),
          detail: `${operation.method} ${operation.path}`,
          place: '',
          // In every language, the document's own words find it.
          words: `${operation.id} ${operation.summary}`,
          text: namesOf(operation),
          href: `/apis/${api}/${version}${operationFragment(operation.tag, operation.id)}`,
        })),
      ]
    })
  }

  function errorEntries(language: Language): SearchEntry[] {
    return [...errorWords(language)].map(([code, { status, title, help }]) => ({
      kind: 'error',
      title: code,
      detail: `${status} · ${title}`,
      place: '',
      words: code.replaceAll('_', ' '),
      text: help,
      href: `/problems/${code}`,
    }))
  }

  /** No person is found while the bank does not answer. */
  async function peopleEntries(language: Language): Promise<SearchEntry[]> {
    if (sandbox === undefined) return []
    const { customers } = await sandbox.describe().catch(() => ({ customers: [] }))
    const isHebrew = language === 'he'
    return customers.map(({ psuId, alias, accounts, ...person }) => ({
      kind: 'person',
      title: isHebrew ? person.nameInHebrew : person.name,
      detail: `${psuId} · ${isHebrew ? person.behavesInHebrew : person.behaves}`,
      place: '',
      words: [alias, person.name, person.nameInHebrew, ...accounts.map(({ iban }) => iban)].join(
        ' ',
      ),
      text: '',
      href: `/sandbox#${encodeURIComponent(psuId)}`,
    }))
  }
}

/** Names of its parameters in the query, and of header fields. */
function namesOf({ declared }: Operation): string {
  return [...declared.query, ...declared.headers, ...declared.responseHeaders].join(' ')
}
