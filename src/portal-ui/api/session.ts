import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type {
  Developer,
  OptOut,
  PasswordReset,
  Session,
  SignIn,
  SignUp,
  TokenUse,
  Verification,
} from '../../gateway/portal/schemas/accounts.ts'
import { isProblem, request } from './client.ts'

/** Cache key of the session; its value is null without a signed-in developer. */
export const sessionKey = ['session'] as const

/** The signed-in developer; `data` is null for a visitor. */
export function useSession() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: async ({ client }) => {
      const session = await readSession()
      // Another tab may have signed another developer in.
      if (isSomebodyElse(session, client.getQueryData(sessionKey))) {
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

function isSomebodyElse(now: Session | null, before: Session | null | undefined): boolean {
  if (now === null || before === null || before === undefined) return false
  return now.developer.id !== before.developer.id
}

/** Opens a session; drops everything cached for an earlier developer. */
export function useSignIn() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: SignIn) => request<Session>('POST', '/api/session', input),
    onSuccess: (session) => {
      forgetPrivate(client)
      client.setQueryData(sessionKey, session)
    },
  })
}

/** Ends this session and opens the first page. */
export function useSignOut() {
  const forget = useForgetSession()
  return useMutation({
    mutationFn: () => request<void>('DELETE', '/api/session'),
    onSuccess: forget,
  })
}

/** Ends all sessions of the developer, also this one, and opens the first page. */
export function useSignOutEverywhere() {
  const forget = useForgetSession()
  return useMutation({
    mutationFn: () => request<void>('DELETE', '/api/sessions'),
    onSuccess: forget,
  })
}

/** Opens the first page as a new document, so that nothing of the ended session stays in memory. */
export function useForgetSession(): () => void {
  return () => window.location.assign('/')
}

/** Public responses, the same for all visitors, by the first part of their key. */
const publicKeys: ReadonlySet<unknown> = new Set(['apis', 'diff', 'document', 'gateway', 'portal'])

function forgetPrivate(client: QueryClient): void {
  client.removeQueries({ predicate: isPrivate })
}

function isPrivate({ queryKey: [first] }: { readonly queryKey: readonly unknown[] }): boolean {
  return first !== sessionKey[0] && !publicKeys.has(first)
}

/** Signs up; the response is the same for a known address. */
export function useSignUp() {
  return useMutation({
    mutationFn: (input: SignUp) => request<void>('POST', '/api/developers', input),
  })
}

/** Uses the link of the first mail and sets the password, which signs in unless an operator has to approve the account. */
export function useVerification() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: Verification) => request<void>('POST', '/api/developers/verify', input),
    onSuccess: () => {
      forgetPrivate(client)
      return client.refetchQueries({ queryKey: sessionKey })
    },
  })
}

/** Requests a link to set a new password; the response is the same for an unknown address. */
export function usePasswordReset() {
  return useMutation({
    mutationFn: (input: PasswordReset) => request<void>('POST', '/api/password-resets', input),
  })
}

/** Uses that link; all sessions of the developer end. */
export function usePasswordResetConfirmation() {
  return useMutation({
    mutationFn: (input: Verification) =>
      request<void>('POST', '/api/password-resets/confirm', input),
  })
}

/** Uses the link sent to a new address, which replaces the old one. */
export function useEmailConfirmation() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: TokenUse) => request<void>('POST', '/api/email-changes/confirm', input),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionKey }),
  })
}

/** Turns off the kind of mail that contained the link. */
export function useOptOut() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: OptOut) => request<void>('POST', '/api/mail-opt-outs', input),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionKey }),
  })
}
