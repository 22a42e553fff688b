import type { ApiVersion } from '../../catalogue/catalogue.ts'
import { backendPathOf, backendUrlOf } from '../../platform/settings/sandbox.ts'
import type { Settings } from '../../platform/settings/settings.ts'

/** Where the backend gets the calls: the URL, with the path below which it gets those of the version. */
export function backendOf(settings: Settings, version: ApiVersion): string {
  const url = backendUrlOf(settings, version)
  if (url === undefined) return ''
  return new URL(url).origin + (backendPathOf(url) ?? version.basePath)
}
