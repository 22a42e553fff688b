import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { CallPlaces, CallRecordList } from '../../portal/api/schemas/usage.ts'
import type { CallFilter } from '../calls/call-filter.ts'
import { applicationPath } from './applications.ts'
import { requestList } from './client.ts'
import { useRead, useReadList } from './use-read.ts'

/** The newest calls of an application, for a short list. */
export function useLatestCalls(id: string) {
  return useReadList<CallRecordList>(
    ['application', id, 'calls', 'latest'],
    `${applicationPath(id)}/calls?limit=8`,
    { refetchInterval: 5_000 },
  )
}

/**
 * The calls of an application that match, newest first, in pages of 50. While
 * the list is live, it reads all shown pages again every three seconds.
 */
export function useCallList(id: string, filter: CallFilter, isLive: boolean) {
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
 * Whether the records of an application contain a call that matches. Polls
 * every five seconds while the page is visible. Without a filter it asks
 * nothing and is false.
 */
export function useCallMade(id: string, awaited: CallFilter | undefined): boolean {
  const query = new URLSearchParams({ ...awaited, limit: '1' }).toString()
  const { data } = useReadList<CallRecordList>(
    ['application', id, 'calls', 'made', query],
    `${applicationPath(id)}/calls?${query}`,
    { enabled: awaited !== undefined, refetchInterval: 5_000 },
  )
  return awaited !== undefined && (data?.items.length ?? 0) > 0
}

/** The records of an application's calls with an X-Request-ID. Without an id it asks nothing. */
export function useCallsWithId(id: string, requestId: string) {
  return useReadList<CallRecordList>(
    ['application', id, 'calls', 'with', requestId],
    `${applicationPath(id)}/calls/${encodeURIComponent(requestId)}`,
    { enabled: requestId !== '' },
  )
}

/** The ids of the developer's applications that have made a call with an X-Request-ID. */
export function useCallPlaces(requestId: string) {
  return useRead<CallPlaces>(['calls', requestId], `/api/calls/${encodeURIComponent(requestId)}`)
}

/**
 * The newest call made with a key. Until there is one, it polls every two
 * seconds while the page is visible. Without a key it asks nothing.
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
