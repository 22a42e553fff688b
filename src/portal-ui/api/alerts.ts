import { useMutation, useQueryClient } from '@tanstack/react-query'
import type {
  Alerts,
  AlertsChange,
  Delivery,
  DeliveryList,
  NewWebhook,
  WebhookInput,
} from '../../portal/api/schemas/alerts.ts'
import { applicationPath } from './applications.ts'
import { request } from './client.ts'
import { useRead, useReadList } from './use-read.ts'

/** What an application is warned of, and its webhook. */
export function useAlerts(id: string) {
  return useRead<Alerts>(['application', id, 'alerts'], `${applicationPath(id)}/alerts`)
}

/** Chooses what an application is warned of. */
export function useAlertsChange(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: AlertsChange) =>
      request<Alerts>('PUT', `${applicationPath(id)}/alerts`, change),
    onSuccess: (alerts) => client.setQueryData(['application', id, 'alerts'], alerts),
  })
}

/** Sets the webhook of an application; the answer alone has its secret. */
export function useWebhookSetting(id: string, onSet: (webhook: NewWebhook) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: WebhookInput) =>
      request<NewWebhook>('PUT', `${applicationPath(id)}/webhook`, input),
    onSuccess: (webhook) => {
      onSet(webhook)
      return client.invalidateQueries({ queryKey: ['application', id, 'alerts'] })
    },
  })
}

/** Removes the webhook of an application. */
export function useWebhookRemoval(id: string, onRemoved: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => request<void>('DELETE', `${applicationPath(id)}/webhook`),
    onSuccess: () => {
      onRemoved()
      return client.invalidateQueries({ queryKey: ['application', id, 'alerts'] })
    },
  })
}

/** The latest events for the webhook; read again every few seconds. */
export function useDeliveries(id: string) {
  return useReadList<DeliveryList>(
    ['application', id, 'alerts', 'deliveries'],
    `${applicationPath(id)}/webhook/deliveries`,
    { refetchInterval: 5_000 },
  )
}

/** Sends a test event, or an event again. */
export function useSending(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (deliveryId: string | undefined) => {
      const path = deliveryId === undefined ? 'test' : `deliveries/${deliveryId}/redeliver`
      return request<Delivery>('POST', `${applicationPath(id)}/webhook/${path}`)
    },
    onSuccess: () =>
      client.invalidateQueries({ queryKey: ['application', id, 'alerts', 'deliveries'] }),
  })
}
