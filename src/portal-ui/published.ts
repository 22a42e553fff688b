import { operationFragment, type versionTabs } from '../gateway/portal/page-paths.ts'
import type {
  PublishedApis,
  PublishedOperation,
  PublishedVersion,
} from '../gateway/portal/schemas/catalogue.ts'

/** A tab of the page of an API version. */
export type VersionTab = (typeof versionTabs)[number]

/** The published version that a subscription or a limit belongs to; undefined once it is no longer published. */
export function publishedVersion(
  apis: PublishedApis | undefined,
  named: { readonly api: string; readonly version: string },
): PublishedVersion | undefined {
  const api = apis?.items.find((each) => each.api === named.api)
  return api?.versions.find(({ version }) => version === named.version)
}

/** The title of a subject of a version in the page's language. */
export function tagTitle({ tags }: PublishedVersion, name: string): string {
  return tags.find((tag) => tag.name === name)?.title ?? name
}

/** The summary of an operation in the page's language, by the newest version that knows the operation. */
export function summaryOfOperation(
  apis: PublishedApis | undefined,
  api: string,
  { id, summary }: Pick<PublishedOperation, 'id' | 'summary'>,
): string {
  const versions = apis?.items.find((each) => each.api === api)?.versions.toReversed() ?? []
  const known = versions.flatMap(({ operations }) => operations).find((each) => each.id === id)
  return known?.summary ?? summary
}

/** Path of the page of a version. */
export function versionPath(api: string, version: string): string {
  return `/apis/${encodeURIComponent(api)}/${encodeURIComponent(version)}`
}

/** Path of the page that compares two versions. */
export function diffPath(api: string, from: string, to: string): string {
  return `/apis/${encodeURIComponent(api)}/diff?${new URLSearchParams({ from, to })}`
}

/** Path of a tab of the page of a version. */
export function versionTabPath(api: string, version: string, tab: VersionTab): string {
  return tab === 'reference' ? versionPath(api, version) : `${versionPath(api, version)}/${tab}`
}

/** Path of an operation in the reference of a version. */
export function operationPath(
  api: string,
  version: string,
  { tag, id }: Pick<PublishedOperation, 'tag' | 'id'>,
): string {
  return `${versionPath(api, version)}${operationFragment(tag, id)}`
}

/** Path of the OpenAPI document. */
export function documentPath(api: string, version: string): string {
  return `/api/apis/${encodeURIComponent(api)}/${encodeURIComponent(version)}/openapi.json`
}
