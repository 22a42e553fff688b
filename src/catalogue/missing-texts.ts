import type { Translation } from './catalogue.ts'
import { translatableTexts } from './documents/translatable-texts.ts'
import { upgraded } from './documents/upgrade.ts'
import { type LoadedTranslation, mergedTranslation, ownTexts } from './load-translation.ts'
import type { LoadedVersion } from './load-version.ts'
import type { Sources } from './source.ts'

/** Warns of each API with a translation of its own that lacks texts, with their number. */
export function warnOfMissingTexts(
  sources: Sources,
  versions: readonly LoadedVersion[],
  translations: readonly LoadedTranslation[],
): void {
  const byLanguage = Map.groupBy(translations, ({ api, language }) => `${api} ${language}`)
  for (const parts of byLanguage.values()) {
    const own = parts.find(({ isOfAllApis }) => !isOfAllApis)
    if (own === undefined) continue
    const { api, at } = own
    // Versions share most of their texts.
    const missing = new Set(
      versions
        .filter((version) => version.api === api)
        .flatMap((version) => {
          const files = parts.filter((each) => each.version === version.version)
          return missingTexts(version, mergedTranslation(files.map((each) => each.translation)))
        }),
    )
    const [first] = missing
    if (first === undefined) continue
    const message =
      missing.size === 1
        ? `1 text of ${api} has no translation: ${first}`
        : `${missing.size} texts of ${api} have no translation, for example ${first}`
    sources.warn({ rule: 'translation-missing', at, message })
  }
}

/** Where the translation of a version lacks texts that its document has: `tags.Payments`. */
function missingTexts(
  { version, source }: LoadedVersion,
  translation: Translation,
): readonly string[] {
  const document = upgraded(source)
  const own = ownTexts
    .filter((member) => document.info[member] !== undefined && translation[member] === undefined)
    .map((member) => `versions.${version}.${member}`)
  const others = translatableTexts(document)
    .filter(({ map, name, isInDocument }) => isInDocument && !Object.hasOwn(translation[map], name))
    .map(({ map, name }) => `${map}.${name.length <= 60 ? name : `${name.slice(0, 60)}…`}`)
  return [...own, ...others]
}
