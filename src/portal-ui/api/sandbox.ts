import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type {
  ApprovedConsents,
  ReadyConsent,
  Sandbox,
  TestCertificates,
  TestCertificatesInput,
} from '../../portal/api/schemas/sandbox.ts'
import { applicationPath } from './applications.ts'
import { request } from './client.ts'
import { useReadList } from './use-read.ts'

/** The fictional customers of the bank; use it only if the facts say that there is a sandbox. */
export function useSandbox(isWanted = true) {
  return useQuery({
    enabled: isWanted,
    queryKey: ['sandbox'],
    queryFn: () => request<Sandbox>('GET', '/api/sandbox'),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Creates a consent of a fictional customer (by default Noa Levi) that the application can use at once. */
export function useReadyConsent(id: string, onMade: (made: ReadyConsent) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (psuId: string | undefined) =>
      request<ReadyConsent>('POST', `${applicationPath(id)}/sandbox/consents`, { psuId }),
    onSuccess: async (made) => {
      const queryKey = approvedKey(id)
      await client.cancelQueries({ queryKey })
      client.setQueryData(queryKey, (known: ApprovedConsents | undefined) =>
        known === undefined ? undefined : replacedBy(made, known),
      )
      onMade(made)
    },
  })
}

/** Makes test certificates. The response holds their keys, so it goes to the caller and is not cached. */
export function useTestCertificates(id: string, onMade: (made: TestCertificates) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (input: TestCertificatesInput) => {
      const path = `${applicationPath(id)}/sandbox/certificates`
      onMade(await request<TestCertificates>('POST', path, input))
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['application', id, 'certificates'] }),
  })
}

/** The list as the bank has it now: the new consent ended those of the same customer. */
function replacedBy({ psuName }: ReadyConsent, { items }: ApprovedConsents) {
  const ended = { consentStatus: 'expired' }
  return {
    items: items.map((each) => (each.psuName === psuName ? { ...each, ...ended } : each)),
  }
}

function approvedKey(id: string) {
  return ['application', id, 'approved consents'] as const
}

/**
 * The consents that the application asked for and a customer approved; while
 * `isAwaited` and the page is visible, polls every five seconds.
 */
export function useApprovedConsents(id: string, isAwaited: boolean) {
  return useReadList<ApprovedConsents>(approvedKey(id), `${applicationPath(id)}/sandbox/consents`, {
    enabled: isAwaited,
    refetchInterval: 5_000,
  })
}
