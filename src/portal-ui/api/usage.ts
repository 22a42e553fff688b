import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { History, LiveUsageList } from '../../gateway/portal/schemas/usage.ts'
import { applicationPath } from './applications.ts'
import { request, requestList } from './client.ts'

const secondsBetweenReads = 5

/** The counter's current state; refreshed every few seconds while the page is visible, and when a window ends. */
export function useLiveUsage(id: string) {
  return useQuery({
    queryKey: ['application', id, 'usage'],
    queryFn: async () => {
      const usage = await requestList<LiveUsageList>(`${applicationPath(id)}/usage`)
      return { ...usage, receivedAtMs: Date.now() }
    },
    refetchInterval: ({ state }) => msUntilNextRead(state.data),
  })
}

/** Live usage with the moment it arrived, by the clock of the page. */
export type ReceivedUsage = LiveUsageList & { readonly receivedAtMs: number }

function msUntilNextRead(usage: ReceivedUsage | undefined): number {
  const longest = secondsBetweenReads * 1000
  if (usage === undefined) return longest
  const ends = usage.items.map(
    ({ resetsAt }) => Date.parse(resetsAt) - Date.parse(usage.generatedAt),
  )
  // A little after the end, because the counter's clock decides and may be slightly behind.
  const afterReset = Math.min(...ends.filter((ms) => ms > 0)) + 250
  return Math.min(longest, afterReset)
}

/** How far back the history reaches. */
export type HistorySpan = '24h' | '30d'

const spans = {
  '24h': { step: 'hour', ms: 86_400_000 },
  '30d': { step: 'day', ms: 30 * 86_400_000 },
} as const

/** Calls per hour of the last day, or per day of the last 30. */
export function useHistory(id: string, span: HistorySpan) {
  return useQuery({
    queryKey: ['application', id, 'history', span],
    queryFn: () => request<History>('GET', `${historyPath(id)}?${historyQuery(span)}`),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
}

/** Address of the same history as a CSV file. */
export function historyFile(id: string, span: HistorySpan): string {
  return `${historyPath(id)}.csv?${historyQuery(span)}`
}

function historyPath(id: string): string {
  return `${applicationPath(id)}/usage/history`
}

function historyQuery(span: HistorySpan): string {
  const { step, ms } = spans[span]
  const now = Date.now()
  const from = new Date(now - ms).toISOString()
  return new URLSearchParams({ from, to: new Date(now).toISOString(), step }).toString()
}
