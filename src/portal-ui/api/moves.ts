import type { Subscription } from '../../portal/api/schemas/applications.ts'
import type { MoveInput, MovePreview } from '../../portal/api/schemas/moves.ts'
import { applicationPath, useApplicationMutation } from './applications.ts'
import { request } from './client.ts'
import { useRead } from './use-read.ts'

function movePath(id: string, subscriptionId: string): string {
  return `${applicationPath(id)}/subscriptions/${encodeURIComponent(subscriptionId)}/move`
}

/** The predicted result of an application's recorded calls in another version. */
export function useMovePreview(id: string, subscriptionId: string, to: string) {
  return useRead<MovePreview>(
    ['application', id, 'move', subscriptionId, to],
    `${movePath(id, subscriptionId)}?${new URLSearchParams({ to })}`,
  )
}

/** Replaces a subscription by one to another version. */
export function useMove(id: string, subscriptionId: string, onMoved: () => void) {
  return useApplicationMutation({
    id,
    mutationFn: (input: MoveInput) =>
      request<Subscription>('POST', movePath(id, subscriptionId), input),
    onDone: onMoved,
  })
}
