import { type Static, Type } from 'typebox'
import { languages } from '../../../messages/language.ts'
import { closed, listOf, oneOf } from './common.ts'

/** Query of what is written in several languages. */
export const LanguageQuery = closed({
  language: Type.Optional(oneOf(languages, { description: 'English if absent' })),
})

const guideMembers = {
  name: Type.String({ description: 'its last segment in `/guides/{name}`' }),
  title: Type.String(),
  description: Type.String({ description: 'one or two sentences' }),
}

/** `GET /api/guides`, in the order to read them. */
export const GuideList = listOf(closed(guideMembers))
export type GuideList = Static<typeof GuideList>

const GuidePart = Type.Union([
  closed({ kind: Type.Literal('html'), html: Type.String() }),
  closed({
    kind: Type.Literal('code'),
    language: Type.String({ description: 'such as sh or json; may be empty' }),
    source: Type.String(),
  }),
  closed({
    kind: Type.Literal('samples'),
    method: Type.String(),
    path: Type.String({ description: 'with the prefix of its version' }),
    summary: Type.String(),
    samples: Type.Array(
      closed({ lang: Type.String(), label: Type.String(), source: Type.String() }),
    ),
  }),
])

/** `GET /api/guides/{guide}`. */
export const Guide = closed({
  ...guideMembers,
  headings: Type.Array(closed({ id: Type.String(), title: Type.String(), level: Type.Integer() })),
  parts: Type.Array(GuidePart),
})
export type Guide = Static<typeof Guide>

/** One thing that the search of the page finds. */
export const SearchEntry = closed({
  kind: oneOf(['guide', 'operation', 'error', 'person', 'version']),
  title: Type.String(),
  detail: Type.String({ description: 'a second line; may be empty' }),
  place: Type.String({
    description: 'where it is, a second line that finds nothing; may be empty',
  }),
  words: Type.String({ description: 'also found by these; not shown' }),
  text: Type.String({ description: 'found least by these, the text of a section; not shown' }),
  href: Type.String({ description: 'path on the portal' }),
})
export type SearchEntry = Static<typeof SearchEntry>

/** `GET /api/search-index`. */
export const SearchIndex = listOf(SearchEntry)
export type SearchIndex = Static<typeof SearchIndex>
