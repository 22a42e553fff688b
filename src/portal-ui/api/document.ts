import { useQuery } from '@tanstack/react-query'
import { languageQuery } from '../words.ts'
import { request } from './client.ts'

interface NamedVersion {
  readonly api: string
  readonly version: string
}

/**
 * The OpenAPI document of a version with its texts in the page's language; sends no request without a version.
 *
 * @param operation only this one, by its id, with what it refers to (Default: all)
 */
export function useDocument(version: NamedVersion | undefined, operation?: string) {
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
