import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { CallPlaces, CallRecordList } from '../../portal/api/schemas/usage.ts'
import type { CallFilter } from '../calls/check-list.ts'
import { applicationPath } from './applications.ts'
import { request, requestList } from './client.ts'

/** The newest calls of an application, for a short list. */
export function useLatestCalls(id: string) {
  return useQuery({
    queryKey: ['application', id, 'calls', 'latest'],
    queryFn: () => requestList<CallRecordList>(`${applicationPath(id)}/calls?limit=8`),
    refetchInterval: 5_000,
  })
}

/** Which calls a list shows; what is left out does not matter. */
export type CallListFilter = Readonly<
  Partial<Record<'status' | 'outcome' | 'operation' | 'keyId', string>>
>

/**
 * Calls of an application, newest first, by pages of 50; while it is live, all
 * shown pages are read again every three seconds.
 */
export function useCallList(id: string, filter: CallListFilter, isLive: boolean) {
  return useInfiniteQuery({
    queryKey: ['application', id, 'calls', 'list', filter],
    queryFn: ({ pageParam: after }) => {
      const query = new URLSearchParams({ ...filter, limit: '50', ...(after && { after }) })
      return requestList<CallRecordList>(`${applicationPath(id)}/calls?${query}`)
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? 3_000 : false,
  })
}

/**
 * Whether records show a matching call; while it is awaited and the page is visible, polls every five seconds. Undefined:
 * asks nothing.
 */
export function useCallMade(id: string, awaited: CallFilter | undefined): boolean {
  const query = new URLSearchParams({ ...awaited, limit: '1' }).toString()
  const { data } = useQuery({
    queryKey: ['application', id, 'calls', 'made', query],
    queryFn: () => requestList<CallRecordList>(`${applicationPath(id)}/calls?${query}`),
    enabled: awaited !== undefined,
    refetchInterval: 5_000,
  })
  return awaited !== undefined && (data?.items.length ?? 0) > 0
}

/** Records of the developer's own calls with that X-Request-ID; an empty list without any. */
export function useCallsWithId(id: string, requestId: string) {
  return useQuery({
    queryKey: ['application', id, 'calls', 'with', requestId],
    queryFn: () =>
      requestList<CallRecordList>(`${applicationPath(id)}/calls/${encodeURIComponent(requestId)}`),
    enabled: requestId !== '',
  })
}

/** Ids of the developer's own applications that have a call with that X-Request-ID. */
export function useCallPlaces(requestId: string) {
  return useQuery({
    queryKey: ['calls', requestId],
    queryFn: () => request<CallPlaces>('GET', `/api/calls/${encodeURIComponent(requestId)}`),
  })
}

/**
 * The newest call made with a key; polls every two seconds while the page is
 * visible, until a call arrives. Without a key it asks nothing.
 */
export function useFirstCall(id: string, keyId: string | undefined) {
  return useQuery({
    queryKey: ['application', id, 'calls', 'first', keyId],
    queryFn: () => {
      const path = `${applicationPath(id)}/calls?keyId=${encodeURIComponent(keyId ?? '')}&limit=1`
      return requestList<CallRecordList>(path)
    },
    enabled: keyId !== undefined,
    refetchInterval: ({ state }) => ((state.data?.items.length ?? 0) > 0 ? false : 2_000),
  })
}
