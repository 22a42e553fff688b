import { useQuery } from '@tanstack/react-query'
import { isLongReference } from '../../portal/pages/page-paths.ts'
import { languageQuery } from '../words.ts'
import { request } from './client.ts'

interface NamedVersion {
  readonly api: string
  readonly version: string
  readonly operations: readonly { readonly id: string }[]
}

/**
 * The OpenAPI document of a version with its texts in the page's language; sends no request without a version.
 *
 * @param shown id of the operation that shows: of a long reference, only that is asked for, with what it refers to
 * (Default: the first)
 */
export function useDocument(version: NamedVersion | undefined, shown?: string) {
  const operation =
    version !== undefined && isLongReference(version)
      ? (shown ?? version.operations[0]?.id)
      : undefined
  return useQuery({
    queryKey: ['document', version?.api, version?.version, operation],
    queryFn: () => {
      const place = [version?.api ?? '', version?.version ?? ''].map(encodeURIComponent).join('/')
      const part =
        operation === undefined ? 'openapi.json' : `operations/${encodeURIComponent(operation)}`
      return request<unknown>('GET', `/api/apis/${place}/${part}${languageQuery()}`)
    },
    enabled: version !== undefined,
    staleTime: 300_000,
  })
}
