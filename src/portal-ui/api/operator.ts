import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { KeyList } from '../../portal/api/schemas/applications.ts'
import type { AvailabilityAnswer } from '../../portal/api/schemas/availability.ts'
import type { WaitingLimitRequestList } from '../../portal/api/schemas/limit-requests.ts'
import type {
  AuditList,
  LimitOverride,
  LimitOverrideInput,
  OperatedApplication,
  OperatedApplicationDetail,
  OperatedApplicationList,
  OperatedCallPlaces,
  OperatedDeveloper,
  OperatedDeveloperList,
  OperatorOverview,
  OperatorPlans,
  OperatorVersions,
  Refusals,
  SecurityEventList,
  SecurityEventQuery,
  SignUpMode,
  TopApplications,
  Waiting,
} from '../../portal/api/schemas/operator.ts'
import type { CallRecordList } from '../../portal/api/schemas/usage.ts'
import { languageQuery } from '../words.ts'
import { request, requestList } from './client.ts'
import { useRead, useReadList } from './use-read.ts'

const root = '/api/operator'

/** Actions of an operator on a developer. */
export type DeveloperVerb = 'approve' | 'suspend' | 'resume'
/** Actions of an operator on an application. */
export type ApplicationVerb = 'suspend' | 'resume'

export interface AuditFilter {
  /** `developer:<id>`, `operator:<name>` or `system`; empty for all actors. */
  readonly actor: string
  /** `<entity>:<id>`; empty for everything. */
  readonly subject: string
}

/** Developers whose name or address contains the text, page by page. */
export function useOperatedDevelopers(search: string) {
  return usePages<OperatedDeveloperList>('developers', { search })
}

/** Applications whose name or developer's address contains the text, page by page. */
export function useOperatedApplications(search: string) {
  return usePages<OperatedApplicationList>('applications', { search })
}

/** One application with its subscriptions and overrides. */
export function useOperatedApplication(id: string) {
  return useRead<OperatedApplicationDetail>(['operator', 'application', id], applicationPath(id))
}

/** Its keys, working ones first, page by page. */
export function useOperatedKeys(id: string) {
  return usePages<KeyList>(`applications/${encodeURIComponent(id)}/keys`, {})
}

/** Applications with a call that had an X-Request-ID; asks nothing unless enabled. */
export function useOperatedCallPlaces(requestId: string, enabled: boolean) {
  return useRead<OperatedCallPlaces>(
    ['operator', 'calls', requestId],
    `${root}/calls/${encodeURIComponent(requestId)}`,
    { enabled },
  )
}

/** The records of an application's calls with an X-Request-ID. */
export function useOperatedCalls(id: string, requestId: string) {
  return useReadList<CallRecordList>(
    ['operator', 'application', id, 'calls', requestId],
    `${applicationPath(id)}/calls/${encodeURIComponent(requestId)}`,
  )
}

/** What waits for an operator. Not read again by itself: an unattended page would keep its session alive. */
export function useWaiting() {
  return useRead<Waiting>(['operator', 'waiting'], `${root}/waiting`, { staleTime: 30_000 })
}

/** The first developers and applications that match a text; asks nothing for less than three characters. */
export function useOperatedMatches(text: string, isOperator: boolean) {
  const enabled = isOperator && text.length >= 3
  const few = query({ search: text, limit: '4' })
  const developers = useReadList<OperatedDeveloperList>(
    ['operator', 'developers', 'matches', text],
    `${root}/developers${few}`,
    { enabled },
  )
  const applications = useReadList<OperatedApplicationList>(
    ['operator', 'applications', 'matches', text],
    `${root}/applications${few}`,
    { enabled },
  )
  return { developers: developers.data?.items ?? [], applications: applications.data?.items ?? [] }
}

/** Applications with refused calls in the last hours, most refusals first. */
export function useRefusals(hours: number) {
  return useRead<Refusals>(['operator', 'refusals', hours], `${root}/refusals?hours=${hours}`, {
    placeholderData: keepPreviousData,
  })
}

/** Applications with the most calls, and those that will soon reach a limit. */
export function useTopApplications() {
  return useRead<TopApplications>(['operator', 'top-applications'], `${root}/top-applications`)
}

/** The current quarter (UTC), or the one before. */
export type Quarter = 'current' | 'last'

/** Uptime, downtime, errors and response times of a quarter. */
export function useAvailability(quarter: Quarter) {
  return useQuery({
    queryKey: ['operator', 'availability', quarter],
    queryFn: () => request<AvailabilityAnswer>('GET', `${root}/availability${rangeOf(quarter)}`),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
}

/** Address of a quarter's report as CSV. */
export function availabilityFile(quarter: Quarter): string {
  return `${root}/availability.csv${rangeOf(quarter)}`
}

function rangeOf(quarter: Quarter): string {
  if (quarter === 'current') return ''
  const now = new Date()
  // The day before the first of this quarter.
  const first = Date.UTC(now.getUTCFullYear(), Math.floor(now.getUTCMonth() / 3) * 3, 1)
  return `?to=${new Date(first - 86_400_000).toISOString().slice(0, 10)}`
}

/** Calls of the last day and what is registered; a minute old at most. */
export function useOperatorOverview() {
  return useRead<OperatorOverview>(['operator', 'overview'], `${root}/overview`, {
    refetchInterval: 60_000,
  })
}

/** The published versions with the applications that called them. */
export function useVersionCallers() {
  return useQuery({
    queryKey: ['operator', 'versions'],
    queryFn: () => request<OperatorVersions>('GET', `${root}/versions${languageQuery()}`),
  })
}

/** Plans with their subscriptions, and the overrides that apply now. */
export function usePlanUse() {
  return useQuery({
    queryKey: ['operator', 'plans'],
    queryFn: () => request<OperatorPlans>('GET', `${root}/plans${languageQuery()}`),
  })
}

/** Whether new developers may sign up. */
export function useSignUpMode() {
  return useRead<SignUpMode>(['operator', 'sign-up'], `${root}/sign-up`)
}

/** The audit log, newest first, page by page. */
export function useAudit({ actor, subject }: AuditFilter) {
  return usePages<AuditList>('audit', { actor, subject })
}

/** Security events, newest first, page by page. Times are ISO 8601. */
export function useSecurityEvents(
  filter: Readonly<Record<Exclude<keyof SecurityEventQuery, 'limit' | 'after'>, string>>,
) {
  return usePages<SecurityEventList>('security-events', filter)
}

/** Path of the audit log as a file, with the same filter. */
export function auditFile(filter: AuditFilter): string {
  return `${root}/audit.csv${query({ ...filter })}`
}

/** Approves, suspends or resumes a developer. */
export function useDeveloperChange() {
  return useOperatorMutation(({ id, verb }: { id: string; verb: DeveloperVerb }) =>
    request<OperatedDeveloper>('POST', `${root}/developers/${id}/${verb}`),
  )
}

/** Suspends or resumes an application. */
export function useApplicationChange() {
  return useOperatorMutation(({ id, verb }: { id: string; verb: ApplicationVerb }) =>
    request<OperatedApplication>('POST', `${applicationPath(id)}/${verb}`),
  )
}

/** Overrides the number of calls that an application's plan allows. */
export function useOverrideCreation(applicationId: string) {
  return useOperatorMutation((input: LimitOverrideInput) =>
    request<LimitOverride>('POST', `${applicationPath(applicationId)}/overrides`, input),
  )
}

/** Ends an override early; the plan's number applies again. */
export function useOverrideEnd(applicationId: string) {
  return useOperatorMutation((overrideId: string) =>
    request<void>('DELETE', `${applicationPath(applicationId)}/overrides/${overrideId}`),
  )
}

/** Opens or closes sign-up. */
export function useSignUpModeChange() {
  return useOperatorMutation((mode: SignUpMode['mode']) =>
    request<SignUpMode>('PUT', `${root}/sign-up`, { mode }),
  )
}

/** Encodes whatever id the page's address holds. */
function applicationPath(id: string): string {
  return `${root}/applications/${encodeURIComponent(id)}`
}

/** Requests of all applications for more calls: the open ones, oldest first, or the closed ones. */
export function useAllLimitRequests(state: 'open' | 'closed') {
  return usePages<WaitingLimitRequestList>('limit-requests', { state })
}

/** A list that is read page by page; a filter that is empty does not apply. */
function usePages<List extends { readonly items: readonly unknown[]; readonly next?: string }>(
  name: string,
  filter: Readonly<Record<string, string>>,
) {
  return useInfiniteQuery({
    queryKey: ['operator', name, filter],
    queryFn: ({ pageParam }) =>
      requestList<List>(`${root}/${name}${query({ ...filter, ...pageParam })}`),
    initialPageParam: {},
    getNextPageParam: ({ next }) => (next === undefined ? undefined : { after: next }),
    placeholderData: keepPreviousData,
  })
}

/** Any operator view may depend on the change. */
function useOperatorMutation<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: ['operator'] }),
  })
}

function query(members: Readonly<Record<string, string>>): string {
  const given = Object.entries(members).filter(([, value]) => value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
