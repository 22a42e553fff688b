import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { History, LiveUsageList } from '../../portal/api/schemas/usage.ts'
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

/** Which calls the history counts. */
export interface HistoryChoice {
  readonly span: HistorySpan
  /** The same time before that. */
  readonly isBefore?: boolean
  /** Only calls to this operation. */
  readonly operation?: string | undefined
}

const hourMs = 3_600_000
const spans = {
  '24h': { step: 'hour', stepMs: hourMs, steps: 24 },
  '30d': { step: 'day', stepMs: 24 * hourMs, steps: 30 },
} as const

/** Calls per hour of the last day, or per day of the last 30; the current hour or day is the last one. */
export function useHistory(id: string, choice: HistoryChoice) {
  const { span, isBefore = false, operation } = choice
  return useQuery({
    queryKey: ['application', id, 'history', span, isBefore, operation],
    queryFn: () => request<History>('GET', `${historyPath(id)}?${historyQuery(choice)}`),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
}

/** Address of the same history as a CSV file. */
export function historyFile(id: string, choice: HistoryChoice): string {
  return `${historyPath(id)}.csv?${historyQuery(choice)}`
}

function historyPath(id: string): string {
  return `${applicationPath(id)}/usage/history`
}

function historyQuery({ span, isBefore = false, operation }: HistoryChoice): string {
  const { step, stepMs, steps } = spans[span]
  const end = (Math.floor(Date.now() / stepMs) + 1) * stepMs
  const to = isBefore ? end - steps * stepMs : end
  return new URLSearchParams({
    from: new Date(to - steps * stepMs).toISOString(),
    to: new Date(to).toISOString(),
    step,
    ...(operation === undefined ? {} : { operation }),
  }).toString()
}
