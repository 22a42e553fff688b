import type { PublishedApis } from '../../../portal/api/schemas/catalogue.ts'
import { publishedVersion } from '../../published.ts'
import { t } from '../../words.ts'

/** An operation as it was known when it was called. */
export interface CalledOperation {
  readonly api: string | null
  readonly version: string | null
  readonly operation: string | null
}

/** The summary of an operation; its id once it is no longer published. */
export function operationName(called: CalledOperation, apis: PublishedApis | undefined): string {
  const { api, version, operation } = called
  if (operation === null || api === null || version === null) return t('usage.unknownOperation')
  const published = publishedVersion(apis, { api, version })
  return published?.operations.find(({ id }) => id === operation)?.summary ?? operation
}
