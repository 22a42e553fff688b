import { useQuery } from '@tanstack/react-query'
import { request } from './client.ts'

/** The OpenAPI document of a version; sends no request without a version. */
export function useDocument(
  version: { readonly api: string; readonly version: string } | undefined,
) {
  return useQuery({
    queryKey: ['document', version?.api, version?.version],
    queryFn: () => {
      const parts = [version?.api ?? '', version?.version ?? ''].map(encodeURIComponent)
      return request<unknown>('GET', `/api/apis/${parts.join('/')}/openapi.json`)
    },
    enabled: version !== undefined,
    staleTime: 300_000,
  })
}
