import type {
  PublishedApis,
  PublishedOperation,
  PublishedVersion,
} from '../portal/api/schemas/catalogue.ts'
import { operationFragment, type versionTabs } from '../portal/pages/page-paths.ts'
import { t } from './words.ts'

/** A tab of the page of an API version. */
export type VersionTab = (typeof versionTabs)[number]

interface NamedVersion {
  readonly api: string
  readonly version: string
}

/** The published version that a subscription or a limit belongs to; undefined once it is no longer published. */
export function publishedVersion(
  apis: PublishedApis | undefined,
  named: NamedVersion,
): PublishedVersion | undefined {
  const api = apis?.items.find((each) => each.api === named.api)
  return api?.versions.find(({ version }) => version === named.version)
}

/** What a reader calls a version: `Mandates 1.0.0`; by its id once it is no longer published. */
export function versionTitle(apis: PublishedApis | undefined, named: NamedVersion): string {
  return `${publishedVersion(apis, named)?.title ?? named.api} ${named.version}`
}

/** What a reader calls a limit: its version, and its own name only where a plan has several. */
export function limitOfVersion(
  apis: PublishedApis | undefined,
  named: NamedVersion & { readonly limit: string },
): string {
  const version = versionTitle(apis, named)
  const plans = publishedVersion(apis, named)?.plans ?? []
  const isOnly = plans.length > 0 && plans.every(({ limits }) => limits.length <= 1)
  return isOnly ? version : t('limit.named', { version, name: named.limit })
}

/** What a reader calls a plan; by its id once it is no longer published. */
export function planTitle(
  apis: PublishedApis | undefined,
  named: NamedVersion & { readonly plan: string },
): string {
  const plans = publishedVersion(apis, named)?.plans ?? []
  return plans.find(({ name }) => name === named.plan)?.title ?? named.plan
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
