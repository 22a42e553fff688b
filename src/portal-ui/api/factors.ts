import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Session } from '../../portal/api/schemas/accounts.ts'
import type {
  Enrolment,
  EnrolmentConfirmation,
  FactorChallenge,
  Factors,
  IdentityProof,
  PasskeyOffer,
  RecoveryCodes,
  TotpConfirmation,
  TotpOffer,
} from '../../portal/api/schemas/factors.ts'
import { request } from './client.ts'
import { createPasskey } from './passkeys.ts'
import { sessionKey } from './session.ts'
import { useRead } from './use-read.ts'

const root = '/api/session/factors'
const key = ['factors'] as const

/** The developer's second factors. */
export function useFactors() {
  return useRead<Factors>(key, root)
}

/** Gets a secret for an authenticator app. */
export function useTotpOffer() {
  return useMutation({ mutationFn: () => request<TotpOffer>('POST', `${root}/totp`) })
}

/** Adds that app with its code. Resolves to new recovery codes, if it is the first second factor. */
export function useTotpConfirmation() {
  return useFactorChange((input: TotpConfirmation) =>
    request<RecoveryCodes>('POST', `${root}/totp/confirm`, input),
  )
}

/** Lets the browser make a passkey and adds it. Resolves as {@link useTotpConfirmation}. */
export function usePasskeyCreation() {
  return useFactorChange(async (name: string) => {
    const { token, passkey: options } = await request<PasskeyOffer>('POST', `${root}/passkeys`)
    const passkey = await createPasskey(options)
    return request<RecoveryCodes>('POST', `${root}/passkeys/confirm`, { token, name, passkey })
  })
}

/** Removes the authenticator app, or the passkey with this id. */
export function useFactorRemoval() {
  return useFactorChange((factor: 'totp' | { readonly id: string }) =>
    request<void>('DELETE', factor === 'totp' ? `${root}/totp` : `${root}/passkeys/${factor.id}`),
  )
}

/** Replaces the recovery codes. */
export function useRecoveryCodes() {
  return useFactorChange(() => request<RecoveryCodes>('POST', `${root}/recovery-codes`))
}

/** Asks how the developer can prove who they are. */
export function useProofChallenge() {
  return useMutation({
    mutationFn: () => request<FactorChallenge>('POST', '/api/session/challenge'),
  })
}

/** Proves it. */
export function useProof() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: IdentityProof) => request<Session>('POST', '/api/session/proof', input),
    onSuccess: (session) => client.setQueryData(sessionKey, session),
  })
}

/** What an enrolment link offers. Asked once: each answer has another secret. */
export function useEnrolment(token: string) {
  return useQuery({
    queryKey: ['enrolment', token],
    queryFn: () => request<Enrolment>('POST', '/api/enrolments', { token }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
    gcTime: 0,
  })
}

/** Uses an enrolment link, which signs in. Resolves to the recovery codes. */
export function useEnrolmentConfirmation() {
  return useMutation({
    mutationFn: (input: EnrolmentConfirmation) =>
      request<RecoveryCodes>('POST', '/api/enrolments/confirm', input),
  })
}

/** A change of factors may end other sessions, and open the rest of the portal to this one. */
function useFactorChange<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: key }),
        client.invalidateQueries({ queryKey: ['sessions'] }),
        client.invalidateQueries({ queryKey: sessionKey }),
      ]),
  })
}
