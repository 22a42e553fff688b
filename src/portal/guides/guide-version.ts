import { type ApiVersion, type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import { isDeprecated, isRetired } from '../../catalogue/lifecycle.ts'
import { operationsShown } from './expand-guide.ts'
import type { GuideSource } from './guide-sources.ts'

/** Versions that a guide can be about: those that are not deprecated first, newest first. */
export function versionsOfGuide(
  { topic }: GuideSource,
  { versions }: Catalogue,
  nowMs: number,
): readonly ApiVersion[] {
  return [...versions.values()]
    .filter(({ api, version }) => topic === api || topic === versionKey(api, version))
    .filter(({ lifecycle }) => !isRetired(lifecycle, nowMs))
    .toReversed()
    .toSorted(
      (one, other) =>
        Number(isDeprecated(one.lifecycle, nowMs)) - Number(isDeprecated(other.lifecycle, nowMs)),
    )
}

/** The first version that has every operation that the guide shows; undefined: the guide is not published. */
export function versionOfGuide(
  source: GuideSource,
  catalogue: Catalogue,
  nowMs: number,
): ApiVersion | undefined {
  const shown = operationsShown(source.texts.en)
  return versionsOfGuide(source, catalogue, nowMs).find(({ operations }) =>
    shown.every((shownId) => operations.some(({ id }) => id === shownId)),
  )
}
