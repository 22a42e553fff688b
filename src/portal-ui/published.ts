import type { PublishedApis, PublishedVersion } from '../gateway/portal/schemas/catalogue.ts'

/** The published version that a subscription or a limit belongs to; undefined once it is no longer published. */
export function publishedVersion(
  apis: PublishedApis | undefined,
  named: { readonly api: string; readonly version: string },
): PublishedVersion | undefined {
  const api = apis?.items.find((each) => each.api === named.api)
  return api?.versions.find(({ version }) => version === named.version)
}

/** Path of the page of a version. */
export function versionPath(api: string, version: string): string {
  return `/apis/${encodeURIComponent(api)}/${encodeURIComponent(version)}`
}

/** Path of the page that compares two versions. */
export function diffPath(api: string, from: string, to: string): string {
  return `/apis/${encodeURIComponent(api)}/diff?${new URLSearchParams({ from, to })}`
}

/** Path of the reference, a document of its own. */
export function referencePath(api: string, version: string): string {
  return `/reference/${encodeURIComponent(api)}/${encodeURIComponent(version)}`
}

/** Path of the OpenAPI document. */
export function documentPath(api: string, version: string): string {
  return `/api/apis/${encodeURIComponent(api)}/${encodeURIComponent(version)}/openapi.json`
}
