import { useQuery } from '@tanstack/react-query'
import type { CallRecordList } from '../../gateway/portal/schemas/usage.ts'
import { applicationPath } from './applications.ts'
import { request } from './client.ts'

/** The last calls of an application, newest first. */
export function useRecentCalls(id: string) {
  return useQuery({
    queryKey: ['application', id, 'calls', 'recent'],
    queryFn: () => request<CallRecordList>('GET', `${applicationPath(id)}/calls?limit=50`),
    refetchInterval: 5_000,
  })
}

/** What is known of one's own calls with that X-Request-ID; an empty list when nothing is. */
export function useCallsWithId(id: string, requestId: string) {
  return useQuery({
    queryKey: ['application', id, 'calls', 'with', requestId],
    queryFn: () =>
      request<CallRecordList>(
        'GET',
        `${applicationPath(id)}/calls/${encodeURIComponent(requestId)}`,
      ),
    enabled: requestId !== '',
  })
}

/** The newest call made with a key; asks every two seconds, while somebody looks, until there is one. */
export function useFirstCall(id: string, keyId: string) {
  return useQuery({
    queryKey: ['application', id, 'calls', 'first', keyId],
    queryFn: () => {
      const path = `${applicationPath(id)}/calls?keyId=${encodeURIComponent(keyId)}&limit=1`
      return request<CallRecordList>('GET', path)
    },
    refetchInterval: ({ state }) => ((state.data?.items.length ?? 0) > 0 ? false : 2_000),
  })
}
