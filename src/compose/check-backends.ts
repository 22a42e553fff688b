import type { Catalogue } from '../catalogue/catalogue.ts'
import { editDistance } from '../platform/edit-distance.ts'
import type { Settings } from '../platform/settings/settings.ts'
import { SettingsError } from '../platform/settings/settings-reader.ts'
import type { Prepare } from './publisher.ts'

/**
 * Checks that every API of BACKEND_URLS is published: the calls of a misspelled
 * one would go to another backend.
 *
 * @throws {SettingsError} with every unknown name
 */
export function checkBackends(
  { backendUrls }: Pick<Settings, 'backendUrls'>,
  { versions }: Pick<Catalogue, 'versions'>,
): void {
  const known = [...new Set([...versions.values()].map(({ api }) => api))]
  const problems = [...backendUrls.keys()].flatMap((name) => {
    if (known.includes(name)) return []
    const nearest = known
      .map((api) => ({ api, distance: editDistance(name, api, 3) }))
      .filter(({ distance }) => distance < 3)
      .sort((a, b) => a.distance - b.distance)[0]
    const hint =
      nearest === undefined ? `APIs are ${known.join(', ')}` : `do you mean ${nearest.api}?`
    return [`BACKEND_URLS: there is no API "${name}" in CONFIG_DIR; ${hint}`]
  })
  if (problems.length > 0) throw new SettingsError(problems)
}

/** Refuses a new configuration that lacks an API of BACKEND_URLS: the next start would fail with it. */
export function backendsOf(settings: Pick<Settings, 'backendUrls'>): Prepare {
  return async (catalogue) => {
    checkBackends(settings, catalogue)
    return () => {}
  }
}
