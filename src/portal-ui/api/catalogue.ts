import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import type { GatewayState, PortalFacts } from '../../portal/api/schemas/accounts.ts'
import type {
  AboutVersion,
  FrontPage,
  PublishedApis,
  VersionDiff,
} from '../../portal/api/schemas/catalogue.ts'
import { aboutOf } from '../../portal/documents/document-nodes.ts'
import type { Boot } from '../boot.ts'
import { languageQuery } from '../words.ts'
import { requestList } from './client.ts'
import { useRead } from './use-read.ts'

/** The published APIs by name, versions oldest first; their texts are in the page's language. */
export function useApis() {
  return useQuery({
    queryKey: ['apis'],
    queryFn: () => requestList<PublishedApis>(`/api/apis${languageQuery()}`),
    staleTime: 60_000,
  })
}

/** What else the first page shows. */
export function useFrontPage() {
  return useRead<FrontPage>(['front'], '/api/front', { staleTime: 60_000 })
}

/** Takes what the document held, so that the first page needs no request. */
export function rememberPublished(
  client: QueryClient,
  { apis, about, front }: Pick<Boot, 'apis' | 'about' | 'front'>,
): void {
  // No request could bring it back.
  client.setQueryDefaults(['about'], { gcTime: Number.POSITIVE_INFINITY })
  if (about !== undefined) client.setQueryData(['about', about.api, about.version], about)
  if (apis !== undefined) client.setQueryData(['apis'], apis)
  if (front === undefined) return
  // The document does not wait for the bank, so the number of its customers may follow.
  const isComplete = front.customers !== null
  client.setQueryData(['front'], front, isComplete ? {} : { updatedAt: 1 })
}

/**
 * What the document of a version says about itself, as far as it is here or the page held it.
 *
 * @param document undefined while it loads
 */
export function useAbout(
  { api, version }: { readonly api: string; readonly version: string },
  document: unknown,
): ReturnType<typeof aboutOf> | undefined {
  // The document of the page may have held it.
  const held = useQueryClient().getQueryData<AboutVersion>(['about', api, version])
  return document === undefined ? held : aboutOf(document)
}

/** The changes from one version of an API to another. */
export function useVersionDiff(api: string, from: string, to: string) {
  const query = new URLSearchParams({ from, to })
  return useRead<VersionDiff>(
    ['diff', api, from, to],
    `/api/apis/${encodeURIComponent(api)}/diff?${query}`,
    { enabled: from !== to, staleTime: 60_000 },
  )
}

/** Whether the gateway answers; polls every 15 seconds while a page uses it. */
export function useGatewayState() {
  return useRead<GatewayState>(['gateway'], '/api/gateway', {
    refetchInterval: 15_000,
    staleTime: 10_000,
  })
}

/** The portal's public facts, for example whether sign-up is open. */
export function usePortalFacts() {
  return useRead<PortalFacts>(['portal'], '/api/portal', { staleTime: 60_000 })
}
