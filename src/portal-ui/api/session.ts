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

/** Where the session is kept among the answers; null: nobody is signed in. */
export const sessionKey = ['session'] as const

/** Who is signed in; `data` is null for nobody. */
export function useSession() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: async ({ client }) => {
      const session = await readSession()
      // Another tab may have signed somebody else in.
      if (isSomebodyElse(session, client.getQueryData(sessionKey))) {
        void client.resetQueries({ predicate: isPrivate })
      }
      return session
    },
    refetchOnWindowFocus: ({ state }) => (state.data === null ? true : 'always'),
    staleTime: 60_000,
  })
}

/** The developer who is signed in, in a page that only shows to one. */
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

/** Opens a session; what was cached for anybody else is forgotten. */
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

/** Ends this session and leads to the first page. */
export function useSignOut() {
  const forget = useForgetSession()
  return useMutation({
    mutationFn: () => request<void>('DELETE', '/api/session'),
    onSuccess: forget,
  })
}

/** Ends every session of the developer, this one too, and leads to the first page. */
export function useSignOutEverywhere() {
  const forget = useForgetSession()
  return useMutation({
    mutationFn: () => request<void>('DELETE', '/api/sessions'),
    onSuccess: forget,
  })
}

/** Leaves everything known in the session that has just ended behind: opens the first page as a new document. */
export function useForgetSession(): () => void {
  return () => window.location.assign('/')
}

/** Answers that are the same for everybody, by the first part of their key. */
const publicKeys: ReadonlySet<unknown> = new Set(['apis', 'diff', 'document', 'gateway', 'portal'])

function forgetPrivate(client: QueryClient): void {
  client.removeQueries({ predicate: isPrivate })
}

function isPrivate({ queryKey: [first] }: { readonly queryKey: readonly unknown[] }): boolean {
  return first !== sessionKey[0] && !publicKeys.has(first)
}

/** Asks for an account; the answer is the same for a known address. */
export function useSignUp() {
  return useMutation({
    mutationFn: (input: SignUp) => request<void>('POST', '/api/developers', input),
  })
}

/** Uses the link of the first mail and sets the password. */
export function useVerification() {
  return useMutation({
    mutationFn: (input: Verification) => request<void>('POST', '/api/developers/verify', input),
  })
}

/** Asks for a link to set a new password; the answer is the same for an unknown address. */
export function usePasswordReset() {
  return useMutation({
    mutationFn: (input: PasswordReset) => request<void>('POST', '/api/password-resets', input),
  })
}

/** Uses the link of that mail; every session of the developer ends. */
export function usePasswordResetConfirmation() {
  return useMutation({
    mutationFn: (input: Verification) =>
      request<void>('POST', '/api/password-resets/confirm', input),
  })
}

/** Uses the link sent to a new address, which takes the place of the old one. */
export function useEmailConfirmation() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: TokenUse) => request<void>('POST', '/api/email-changes/confirm', input),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionKey }),
  })
}

/** Ends the mails of the kind the link was in. */
export function useOptOut() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: OptOut) => request<void>('POST', '/api/mail-opt-outs', input),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionKey }),
  })
}
