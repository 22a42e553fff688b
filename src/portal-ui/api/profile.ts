import { useMutation, useQueryClient } from '@tanstack/react-query'
import type {
  AccountDeletion,
  Developer,
  LanguageChoice,
  MailPreferences,
  NameChange,
  ProfileChange,
  Session,
  TermsAcceptance,
} from '../../portal/api/schemas/accounts.ts'
import { request } from './client.ts'
import { forgetSession, sessionKey } from './session.ts'

const path = '/api/session/developer'

/** Changes the address or the password; a new address replaces the old one when its link is used. */
export function useProfileChange() {
  return useDeveloperChange<ProfileChange>('PATCH', path)
}

/** Changes the display name. */
export function useNameChange() {
  return useDeveloperChange<NameChange>('PUT', `${path}/name`)
}

/** Chooses the optional mails. */
export function useMailPreferences() {
  return useDeveloperChange<MailPreferences>('PUT', `${path}/mails`)
}

/** Chooses the language of emails. */
export function useLanguageChoice() {
  return useMutation({
    mutationFn: (input: LanguageChoice) =>
      request<Developer>('PUT', '/api/session/language', input),
  })
}

/** Accepts the current terms. */
export function useTermsAcceptance() {
  return useDeveloperChange<TermsAcceptance>('PUT', `${path}/terms`)
}

/** Reads everything that the portal stores about the developer. */
export function useOwnData() {
  return useMutation({ mutationFn: () => request<object>('GET', `${path}/export`) })
}

/** Deletes the developer and everything they own, then opens the first page. */
export function useAccountDeletion() {
  return useMutation({
    mutationFn: (input: AccountDeletion) => request<void>('DELETE', path, input),
    onSuccess: forgetSession,
  })
}

/** Changes something about the developer, and shows it in the session that the page knows. */
function useDeveloperChange<Input>(method: 'PATCH' | 'PUT', place: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => request<Developer>(method, place, input),
    onSuccess: (developer) => {
      client.setQueryData<Session | null>(sessionKey, (session) =>
        session === null || session === undefined ? session : { ...session, developer },
      )
    },
  })
}
