import type { PublishedApis } from '../../../../portal/api/schemas/catalogue.ts'
import type { LiveUsage } from '../../../../portal/api/schemas/usage.ts'
import { publishedVersion } from '../../../published.ts'
import { t } from '../../../words.ts'

/** What a limit counts: the summary of an operation, or all operations of a version. */
export function limitTitle(item: LiveUsage, apis: PublishedApis | undefined): string {
  const { api, version, operation } = item
  if (operation === null) return t('limit.allOperations')
  const published = publishedVersion(apis, { api, version })
  return published?.operations.find(({ id }) => id === operation)?.summary ?? operation
}
