import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type {
  Developer,
  OptOut,
  OptOutFacts,
  PasswordReset,
  ProviderAddress,
  ProviderStart,
  Session,
  SignIn,
  SignUp,
  SignUpCompletion,
  TokenUse,
  Verification,
} from '../../portal/api/schemas/accounts.ts'
import type {
  FactorAnswer,
  FactorChallenge,
  SessionList,
} from '../../portal/api/schemas/factors.ts'
import { isProblem, request } from './client.ts'
import { useReadList } from './use-read.ts'

/** Cache key of the session; its value is null without a signed-in developer. */
export const sessionKey = ['session'] as const

/** The signed-in developer; `data` is null for a visitor. */
export function useSession() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: async ({ client }) => {
      const session = await readSession()
      // Another tab may have signed another developer in.
      if (isAnotherDeveloper(session, client.getQueryData(sessionKey))) {
        void client.resetQueries({ predicate: isPrivate })
      }
      return session
    },
    refetchOnWindowFocus: ({ state }) => (state.data === null ? true : 'always'),
    staleTime: 60_000,
  })
}

/** The signed-in developer, for pages that require a session. */
export function useDeveloper(): Developer {
  const { data } = useSession()
  if (data === null || data === undefined) throw new Error('this page needs a session')
  return data.developer
}

async function readSession(): Promise<Session | null> {
  try {
    return await request<Session>('GET', '/api/session')
  } catch (error) {
    if (isProblem(error, 'SESSION_REQUIRED')) return null
    throw error
  }
}

function isAnotherDeveloper(now: Session | null, before: Session | null | undefined): boolean {
  if (now === null || before === null || before === undefined) return false
  return now.developer.id !== before.developer.id
}

/** Checks the password: opens a session, or returns what the second factor has to answer. */
export function useSignIn() {
  const open = useOpenSession()
  return useMutation({
    mutationFn: (input: SignIn) =>
      request<Session | FactorChallenge>('POST', '/api/session', input),
    onSuccess: (answer) => {
      if ('developer' in answer) open(answer)
    },
  })
}

/** Opens a session with a second factor, after the password. */
export function useSecondFactor() {
  const open = useOpenSession()
  return useMutation({
    mutationFn: (input: FactorAnswer) => request<Session>('POST', '/api/session/factor', input),
    onSuccess: open,
  })
}

/** Keeps a new session and drops everything cached for an earlier developer. */
function useOpenSession(): (session: Session) => void {
  const client = useQueryClient()
  return (session) => {
    forgetPrivate(client)
    client.setQueryData(sessionKey, session)
  }
}

/** The developer's sessions, the last used first. */
export function useSessions() {
  return useReadList<SessionList>(['sessions'], '/api/sessions')
}

/** Ends one other session of the developer. */
export function useSessionEnd() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => request<void>('DELETE', `/api/sessions/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  })
}

/** Opens the sign-in page of the OpenID Connect provider; it leads back to `next`, a path of this portal. */
export function useProviderSignIn() {
  return useProvider('/api/session/provider-sign-in')
}

/** The same, for a proof that the developer is at the keyboard. */
export function useProviderProof() {
  return useProvider('/api/session/provider')
}

function useProvider(path: string) {
  return useMutation({
    mutationFn: (input: ProviderStart) => request<ProviderAddress>('POST', path, input),
    onSuccess: ({ url }) => window.location.assign(url),
  })
}

/** Ends this session and opens the first page, or that of the provider which ends its own. */
export function useSignOut() {
  return useMutation({
    mutationFn: () => request<ProviderAddress | undefined>('DELETE', '/api/session'),
    onSuccess: (answer) =>
      answer === undefined ? forgetSession() : window.location.assign(answer.url),
  })
}

/** Ends all sessions of the developer, including this one, and opens the first page. */
export function useSignOutEverywhere() {
  return useMutation({
    mutationFn: () => request<void>('DELETE', '/api/sessions'),
    onSuccess: forgetSession,
  })
}

/** Opens the first page as a new document, so that nothing of the ended session stays in memory. */
export function forgetSession(): void {
  window.location.assign('/')
}

/** Public responses, the same for all visitors, by the first part of their key. */
const publicKeys: ReadonlySet<unknown> = new Set([
  'apis',
  'diff',
  'document',
  'gateway',
  'guides',
  'portal',
  'search-index',
])

function forgetPrivate(client: QueryClient): void {
  client.removeQueries({ predicate: isPrivate })
}

function isPrivate({ queryKey: [first] }: { readonly queryKey: readonly unknown[] }): boolean {
  return first !== sessionKey[0] && !publicKeys.has(first)
}

/** Signs up; the response is the same for a known address. */
export function useSignUp() {
  return usePost<SignUp>('/api/developers')
}

/** Uses the link of the first mail and sets the password, which signs in unless an operator has to approve the account. */
export function useVerification() {
  return usePost<SignUpCompletion>('/api/developers/verify', (client) => {
    forgetPrivate(client)
    return client.refetchQueries({ queryKey: sessionKey })
  })
}

/** Requests a link to set a new password; the response is the same for an unknown address. */
export function usePasswordReset() {
  return usePost<PasswordReset>('/api/password-resets')
}

/** Uses that link; all sessions of the developer end. */
export function usePasswordResetConfirmation() {
  return usePost<Verification>('/api/password-resets/confirm')
}

/** Uses the link sent to a new address, which replaces the old one. */
export function useEmailConfirmation() {
  return usePost<TokenUse>('/api/email-changes/confirm', refreshSession)
}

/** Turns off the kind of mail that contained the link. */
export function useOptOut() {
  return usePost<OptOut>('/api/mail-opt-outs', refreshSession)
}

/** What the link of a mail would stop, and for whom. */
export function useOptOutFacts(token: string | undefined) {
  return useQuery({
    queryKey: ['opt-out', token],
    queryFn: () => request<OptOutFacts>('POST', '/api/mail-opt-outs/lookup', { token }),
    enabled: token !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

const refreshSession = (client: QueryClient) => client.invalidateQueries({ queryKey: sessionKey })

/** Sends what a form holds; the response has no body. */
function usePost<Input>(path: string, onDone?: (client: QueryClient) => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => request<void>('POST', path, input),
    onSuccess: () => onDone?.(client),
  })
}
