import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Subscription } from '../../portal/api/schemas/applications.ts'
import type { MoveInput, MovePreview } from '../../portal/api/schemas/moves.ts'
import { applicationPath } from './applications.ts'
import { request } from './client.ts'

function movePath(id: string, subscriptionId: string): string {
  return `${applicationPath(id)}/subscriptions/${encodeURIComponent(subscriptionId)}/move`
}

/** The predicted result of an application's recorded calls in another version. */
export function useMovePreview(id: string, subscriptionId: string, to: string) {
  return useQuery({
    queryKey: ['application', id, 'move', subscriptionId, to],
    queryFn: () =>
      request<MovePreview>('GET', `${movePath(id, subscriptionId)}?${new URLSearchParams({ to })}`),
  })
}

/** Replaces a subscription by one to another version. */
export function useMove(id: string, subscriptionId: string, onMoved: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: MoveInput) =>
      request<Subscription>('POST', movePath(id, subscriptionId), input),
    onSuccess: () => {
      onMoved()
      return client.invalidateQueries({ queryKey: ['application', id] })
    },
  })
}
