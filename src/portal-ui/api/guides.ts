import { useQuery } from '@tanstack/react-query'
import type { Guide, GuideList, SearchIndex } from '../../portal/api/schemas/guides.ts'
import { pageLanguage } from '../words.ts'
import { request, requestList } from './client.ts'

/** They change with the catalogue only. */
const staleTime = 5 * 60_000

/** The guides in the page's language, in the order to read them. */
export function useGuides() {
  return useQuery({
    queryKey: ['guides'],
    queryFn: () => requestList<GuideList>(`/api/guides?language=${pageLanguage()}`),
    staleTime,
  })
}

/** A guide in the page's language. */
export function useGuide(name: string) {
  return useQuery({
    queryKey: ['guides', name],
    queryFn: () =>
      request<Guide>('GET', `/api/guides/${encodeURIComponent(name)}?language=${pageLanguage()}`),
    staleTime,
  })
}

/** All that the search finds without a session, in the page's language. */
export function useSearchIndex() {
  return useQuery({
    queryKey: ['search-index'],
    queryFn: () => requestList<SearchIndex>(`/api/search-index?language=${pageLanguage()}`),
    staleTime,
  })
}
