import { useQuery } from '@tanstack/react-query'
import type { GatewayState, PortalFacts } from '../../gateway/portal/schemas/accounts.ts'
import type { PublishedApis, VersionDiff } from '../../gateway/portal/schemas/catalogue.ts'
import { request, requestList } from './client.ts'

/** The published APIs by name, versions oldest first. */
export function useApis() {
  return useQuery({
    queryKey: ['apis'],
    queryFn: () => requestList<PublishedApis>('/api/apis'),
    staleTime: 60_000,
  })
}

/** The changes from one version of an API to another. */
export function useVersionDiff(api: string, from: string, to: string) {
  const query = new URLSearchParams({ from, to })
  return useQuery({
    queryKey: ['diff', api, from, to],
    queryFn: () =>
      request<VersionDiff>('GET', `/api/apis/${encodeURIComponent(api)}/diff?${query}`),
    enabled: from !== to,
    staleTime: 60_000,
  })
}

/** Whether the gateway answers; polls every 15 seconds while a page uses it. */
export function useGatewayState() {
  return useQuery({
    queryKey: ['gateway'],
    queryFn: () => request<GatewayState>('GET', '/api/gateway'),
    refetchInterval: 15_000,
    staleTime: 10_000,
  })
}

/** The portal's public facts, for example whether sign-up is open. */
export function usePortalFacts() {
  return useQuery({
    queryKey: ['portal'],
    queryFn: () => request<PortalFacts>('GET', '/api/portal'),
    staleTime: 60_000,
  })
}
