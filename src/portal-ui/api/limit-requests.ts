import { useMutation, useQueryClient } from '@tanstack/react-query'
import type {
  LimitRequest,
  LimitRequestDecline,
  LimitRequestGrant,
  LimitRequestInput,
  LimitRequestList,
} from '../../portal/api/schemas/limit-requests.ts'
import { applicationPath } from './applications.ts'
import { request } from './client.ts'
import { useReadList } from './use-read.ts'

/** Requests of an application for more calls, newest first. */
export function useLimitRequests(id: string) {
  return useReadList<LimitRequestList>(
    ['application', id, 'limit-requests'],
    `${applicationPath(id)}/limit-requests`,
  )
}

/** Asks for more calls. */
export function useAskForCalls(id: string, onAsked: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: LimitRequestInput) =>
      request<LimitRequest>('POST', `${applicationPath(id)}/limit-requests`, input),
    onSuccess: onAsked,
    onSettled: () => client.invalidateQueries({ queryKey: ['application', id, 'limit-requests'] }),
  })
}

/** Withdraws a request by its id. */
export function useLimitRequestWithdrawal(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (requestId: string) =>
      request<void>('DELETE', `${applicationPath(id)}/limit-requests/${requestId}`),
    onSettled: () => client.invalidateQueries({ queryKey: ['application', id, 'limit-requests'] }),
  })
}

const operatorRoot = '/api/operator/limit-requests'

/** Grants a request until a time. */
export function useLimitRequestGrant(requestId: string, onDone: () => void) {
  return useAnswer<LimitRequestGrant>(`${requestId}/grant`, onDone)
}

/** Declines a request with a sentence. */
export function useLimitRequestDecline(requestId: string, onDone: () => void) {
  return useAnswer<LimitRequestDecline>(`${requestId}/decline`, onDone)
}

function useAnswer<Input>(path: string, onDone: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => request<LimitRequest>('POST', `${operatorRoot}/${path}`, input),
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: ['operator'] }),
  })
}
