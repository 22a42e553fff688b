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
import { sessionKey, useForgetSession } from './session.ts'

const path = '/api/session/developer'

/** Changes the address or the password; a new address replaces the old one when its link is used. */
export function useProfileChange() {
  const keep = useKeepDeveloper()
  return useMutation({
    mutationFn: (input: ProfileChange) => request<Developer>('PATCH', path, input),
    onSuccess: keep,
  })
}

/** Changes the display name. */
export function useNameChange() {
  const keep = useKeepDeveloper()
  return useMutation({
    mutationFn: (input: NameChange) => request<Developer>('PUT', `${path}/name`, input),
    onSuccess: keep,
  })
}

/** Chooses the optional mails. */
export function useMailPreferences() {
  const keep = useKeepDeveloper()
  return useMutation({
    mutationFn: (input: MailPreferences) => request<Developer>('PUT', `${path}/mails`, input),
    onSuccess: keep,
  })
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
  const keep = useKeepDeveloper()
  return useMutation({
    mutationFn: (input: TermsAcceptance) => request<Developer>('PUT', `${path}/terms`, input),
    onSuccess: keep,
  })
}

/** Reads everything that the portal stores about the developer. */
export function useOwnData() {
  return useMutation({ mutationFn: () => request<object>('GET', `${path}/export`) })
}

/** Deletes the developer and everything they own, then opens the first page. */
export function useAccountDeletion() {
  const forget = useForgetSession()
  return useMutation({
    mutationFn: (input: AccountDeletion) => request<void>('DELETE', path, input),
    onSuccess: forget,
  })
}

function useKeepDeveloper(): (developer: Developer) => void {
  const client = useQueryClient()
  return (developer) => {
    client.setQueryData<Session | null>(sessionKey, (session) =>
      session === null || session === undefined ? session : { ...session, developer },
    )
  }
}
