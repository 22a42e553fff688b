import { type ApiVersion, type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import { textsOf } from '../../catalogue/in-language.ts'
import type { Language } from '../../messages/language.ts'

interface NamedVersion {
  readonly api: string
  readonly version: string
}

/** What readers call the things that a letter is about; by their ids once they are no longer published. */
export interface PublishedNames {
  /** Title of an API, as one of its versions has it. */
  title(named: NamedVersion): string
  /** `Mandates 1.0.0` */
  version(named: NamedVersion): string
  /** Summary of an operation. */
  operation(named: NamedVersion & { readonly operation: string }): string
  /** Name of a limit; undefined if every plan of the version has the same one. */
  limit(named: NamedVersion & { readonly limit: string }): string | undefined
}

/** Gives the names that a catalogue has in a language. Without a catalogue, all are ids. */
export function publishedNames(
  catalogue: Pick<Catalogue, 'versions' | 'plans'> | undefined,
  language: Language,
): PublishedNames {
  const find = ({ api, version }: NamedVersion): ApiVersion | undefined =>
    catalogue?.versions.get(versionKey(api, version))
  const title = (named: NamedVersion): string => {
    const published = find(named)
    return published === undefined ? named.api : textsOf(published, language).title
  }
  return {
    title,
    version: (named) => `${title(named)} ${named.version}`,
    operation(named) {
      const published = find(named)
      const operation = published?.operations.find(({ id }) => id === named.operation)
      if (published === undefined || operation === undefined) return named.operation
      return textsOf(published, language).operation(operation)
    },
    limit(named) {
      const plans = find(named)?.plans ?? []
      const isOnly = plans.every((name) => (catalogue?.plans.get(name)?.limits.length ?? 0) <= 1)
      return plans.length > 0 && isOnly ? undefined : named.limit
    },
  }
}
