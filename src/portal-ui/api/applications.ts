import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type {
  Application,
  ApplicationChange,
  ApplicationInput,
  ApplicationList,
  Certificate,
  CertificateInput,
  CertificateList,
  IssuedKey,
  Key,
  KeyInput,
  KeyList,
  KeyUpdate,
  Subscription,
  SubscriptionInput,
  SubscriptionList,
} from '../../portal/api/schemas/applications.ts'
import type { ApplicationSummaryList } from '../../portal/api/schemas/usage.ts'
import { request, requestList } from './client.ts'
import { useRead, useReadList } from './use-read.ts'

const root = '/api/applications'

/** Path of an application in the JSON API; encodes whatever id the page's address holds. */
export function applicationPath(id: string): string {
  return `${root}/${encodeURIComponent(id)}`
}

/** All applications of the signed-in developer; few enough for one list. */
export function useApplications() {
  return useReadList<ApplicationList>(['applications'], `${root}?limit=100`)
}

/** What each of these applications did in the last 24 hours. */
export function useApplicationSummaries() {
  return useRead<ApplicationSummaryList>(['applications', 'summary'], `${root}/summary`, {
    refetchInterval: 30_000,
  })
}

/** One application of the signed-in developer. */
export function useApplication(id: string) {
  return useRead<Application>(['application', id], applicationPath(id))
}

/** Creates an application. */
export function useApplicationCreation(onCreated: (made: Application) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: ApplicationInput) => request<Application>('POST', root, input),
    onSuccess: (made) => {
      onCreated(made)
      return client.invalidateQueries({ queryKey: ['applications'] })
    },
  })
}

/** A first application with all it needs to call. */
export interface FirstApplication {
  readonly application: Application
  /** The error when subscribing it or creating the key failed: its page shows the error and how to continue. */
  readonly key: IssuedKey | Error
}

export interface FirstApplicationInput extends ApplicationInput {
  readonly subscription: SubscriptionInput
  readonly keyName: string
}

/** Creates an application, subscribes it and issues a key. What was made stays when a later step fails. */
export function useFirstApplication(onMade: (made: FirstApplication) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ name, subscription, keyName }: FirstApplicationInput) => {
      const application = await request<Application>('POST', root, { name })
      const path = applicationPath(application.id)
      const subscribed = request('POST', `${path}/subscriptions`, subscription)
      const issued = subscribed.then(() =>
        request<IssuedKey>('POST', `${path}/keys`, { name: keyName }),
      )
      onMade({ application, key: await issued.catch(asError) })
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['applications'] }),
  })
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}

/** Renames an application, or changes whether its calls must be signed and where its customers are sent back. */
export function useApplicationUpdate(id: string, onUpdated?: (updated: Application) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: ApplicationChange) =>
      request<Application>('PATCH', applicationPath(id), input),
    // In order, so that the last choice wins.
    scope: { id: applicationPath(id) },
    onSuccess: (application) => {
      onUpdated?.(application)
      client.setQueryData(['application', id], application)
      return client.invalidateQueries({ queryKey: ['applications'] })
    },
  })
}

/** Deletes an application with its keys, subscriptions and records; `onDeleted` leads away from its page. */
export function useApplicationDeletion(id: string, onDeleted: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => request<void>('DELETE', applicationPath(id)),
    onSuccess: async () => {
      onDeleted()
      client.removeQueries({ queryKey: ['application', id] })
      await client.invalidateQueries({ queryKey: ['applications'] })
    },
  })
}

function subscriptionsOf(id: string) {
  return ['application', id, 'subscriptions'] as const
}

/** Active subscriptions of an application: at most one for each API version. */
export function useSubscriptions(id: string) {
  return useReadList<SubscriptionList>(subscriptionsOf(id), `${applicationPath(id)}/subscriptions`)
}

/** Subscribes an application to an API version. */
export function useSubscribing(id: string, onSubscribed: (made: Subscription) => void) {
  const client = useQueryClient()
  return useApplicationMutation({
    id,
    mutationFn: (input: SubscriptionInput) =>
      request<Subscription>('POST', `${applicationPath(id)}/subscriptions`, input),
    onDone: (made) => {
      // What is shown next must not begin without it and change when the list was read again.
      client.setQueryData<SubscriptionList>(subscriptionsOf(id), (list) =>
        list === undefined ? undefined : { ...list, items: [...list.items, made] },
      )
      onSubscribed(made)
    },
  })
}

/** Moves a subscription to another plan; the current count stays. */
export function usePlanChange(id: string, onChanged: () => void) {
  return useApplicationMutation({
    id,
    mutationFn: ({ subscriptionId, plan }: PlanChange) => {
      const path = `${applicationPath(id)}/subscriptions/${subscriptionId}`
      return request<Subscription>('PATCH', path, { plan })
    },
    onDone: onChanged,
  })
}

interface PlanChange {
  readonly subscriptionId: string
  readonly plan: string
}

/** Ends a subscription. The application's keys stop working for that version at once. */
export function useSubscriptionEnd(id: string, onEnded: () => void) {
  return useApplicationMutation({
    id,
    mutationFn: (subscriptionId: string) =>
      request<void>('DELETE', `${applicationPath(id)}/subscriptions/${subscriptionId}`),
    onDone: onEnded,
  })
}

/** All keys of an application, including those that no longer work. */
export function useKeys(id: string) {
  return useQuery({
    queryKey: ['application', id, 'keys'],
    queryFn: () => requestList<KeyList>(`${applicationPath(id)}/keys?limit=100`),
    // The last use changes with every call.
    refetchInterval: 30_000,
  })
}

/** Creates a key. The response holds the key itself, so it goes to the caller and is not cached. */
export function useKeyCreation(id: string, onIssued: (issued: IssuedKey) => void) {
  return useApplicationMutation({
    id,
    mutationFn: async (input: KeyInput) => {
      onIssued(await request<IssuedKey>('POST', `${applicationPath(id)}/keys`, input))
    },
  })
}

/** Replaces a key by a new one, which is not cached either; the old key works until the overlap ends. */
export function useKeyRotation(id: string, onIssued: (issued: IssuedKey) => void) {
  return useApplicationMutation({
    id,
    mutationFn: async ({ keyId, overlapSeconds }: Rotation) => {
      const path = `${applicationPath(id)}/keys/${keyId}/rotate`
      onIssued(await request<IssuedKey>('POST', path, { overlapSeconds }))
    },
  })
}

interface Rotation {
  readonly keyId: string
  readonly overlapSeconds: number
}

/** Revokes a key: it stops working within a second. */
export function useKeyRevocation(id: string, onRevoked: () => void) {
  return useApplicationMutation({
    id,
    mutationFn: (keyId: string) => request<void>('DELETE', `${applicationPath(id)}/keys/${keyId}`),
    onDone: onRevoked,
  })
}

/** Changes the addresses from which a key may be used. */
export function useAddressesOfKey(id: string, onChanged: () => void) {
  return useApplicationMutation({
    id,
    mutationFn: ({ keyId, ...update }: KeyUpdate & { readonly keyId: string }) =>
      request<Key>('PATCH', `${applicationPath(id)}/keys/${keyId}`, update),
    onDone: onChanged,
  })
}

/** The certificates of an application. */
export function useCertificates(id: string) {
  return useReadList<CertificateList>(
    ['application', id, 'certificates'],
    `${applicationPath(id)}/certificates`,
  )
}

/** Adds a certificate to an application. */
export function useCertificateAdding(id: string, onAdded: () => void) {
  return useApplicationMutation({
    id,
    mutationFn: (input: CertificateInput) =>
      request<Certificate>('POST', `${applicationPath(id)}/certificates`, input),
    onDone: onAdded,
  })
}

/** Removes a certificate: the gateway refuses it within a second. */
export function useCertificateRemoval(id: string, onRemoved: () => void) {
  return useApplicationMutation({
    id,
    mutationFn: (certificateId: string) =>
      request<void>('DELETE', `${applicationPath(id)}/certificates/${certificateId}`),
    onDone: onRemoved,
  })
}

interface ApplicationMutation<Input, Answer> {
  readonly id: string
  readonly mutationFn: (input: Input) => Promise<Answer>
  /** Called before the lists are read again, which may unmount the component that asked for the change. */
  readonly onDone?: (answer: Answer) => void
}

/** Changes an application, then reads everything about it again. */
export function useApplicationMutation<Input, Answer>(options: ApplicationMutation<Input, Answer>) {
  const { id, mutationFn, onDone } = options
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    onSuccess: (answer) => {
      onDone?.(answer)
      return client.invalidateQueries({ queryKey: ['application', id] })
    },
  })
}

/** Makes a key for this page, which ends after 15 minutes or at sign-out; only this answer contains it. */
export function issuePageKey(id: string): Promise<IssuedKey> {
  return request<IssuedKey>('POST', `${applicationPath(id)}/page-key`)
}
