import type { ApiVersion } from '../../catalogue/catalogue.ts'
import { versionTitle } from '../../catalogue/in-language.ts'
import type { Language } from '../../messages/language.ts'
import { wordsOf } from '../../messages/words.ts'
import type { ErrorCode } from '../../platform/http/errors.ts'
import { type ErrorWords, errorWords } from '../api/error-words.ts'

/** What a guide may mention and only this portal knows. */
export interface GuidePlaces {
  /** Origin of the gateway, as developers call it; `{{gateway}}` in a guide. */
  readonly gateway: string
  /** Origin of the portal; `{{portal}}` in a guide. */
  readonly portal: string
  /** The version that the guide is about: its title is `{{version}}`, what its paths begin with `{{prefix}}`. */
  readonly published: ApiVersion | undefined
}

/**
 * Fills in what a guide takes from elsewhere and is text in each of its forms:
 * the addresses, the list of all errors for `{{errors}}`, and what the page calls
 * a thing for the id of a message, `{{signed.only}}`.
 */
export function expandGuide(source: string, places: GuidePlaces, language: Language): string {
  const { t, knows } = wordsOf(language)
  const { gateway, portal, published } = places
  return source
    .replaceAll('{{gateway}}', gateway)
    .replaceAll('{{portal}}', portal)
    .replaceAll('{{prefix}}', published?.prefix ?? '')
    .replaceAll('{{version}}', () =>
      published === undefined ? '' : versionTitle(published, language),
    )
    .replaceAll('{{errors}}', () => errorList(errorWords(language)))
    .replaceAll(/\{\{([\w.-]+)\}\}/g, (place, id: string) => (knows(id) ? t(id) : place))
}

/** By status, each code under its own heading, so that a link can name it. */
function errorList(words: ReadonlyMap<ErrorCode, ErrorWords>): string {
  return [...words]
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(
      ([code, { status, title, help }]) =>
        `### \`${code}\`\n\n**${status}** · **${title}.** ${help}`,
    )
    .join('\n\n')
}

/** Operations whose samples a guide shows, in order. */
export function operationsShown(source: string): readonly string[] {
  return [...source.matchAll(/^```sample (\w+)$/gm)].map(([, id = '']) => id)
}
