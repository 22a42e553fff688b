import { useQuery } from '@tanstack/react-query'
import { languageQuery } from '../words.ts'
import { request } from './client.ts'

/** The OpenAPI document of a version with its texts in the page's language; sends no request without a version. */
export function useDocument(
  version: { readonly api: string; readonly version: string } | undefined,
) {
  return useQuery({
    queryKey: ['document', version?.api, version?.version],
    queryFn: () => {
      const parts = [version?.api ?? '', version?.version ?? ''].map(encodeURIComponent)
      const path = `/api/apis/${parts.join('/')}/openapi.json`
      return request<unknown>('GET', path + languageQuery())
    },
    enabled: version !== undefined,
    staleTime: 300_000,
  })
}
