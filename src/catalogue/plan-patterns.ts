import { type ApiVersion, versionKey } from './catalogue.ts'

type Named = Pick<ApiVersion, 'api' | 'version'>

/** The patterns of a plan that a version matches. */
export function patternsOf({ api, version }: Named): readonly string[] {
  return [versionKey(api, '*'), versionKey(api, version)]
}

/** Whether a version matches one of a plan's patterns. */
export function matches(patterns: ReadonlySet<string>, version: Named): boolean {
  return patternsOf(version).some((pattern) => patterns.has(pattern))
}
