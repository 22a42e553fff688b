import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiFailure, isProblem } from './client.ts'
import { sessionKey } from './session.ts'

/**
 * The cache of answers. Whichever call learns that the session has ended, the
 * page takes it for ended; calls are repeated only where no answer came.
 */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: noteFailure }),
    mutationCache: new MutationCache({ onError: noteFailure }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        ...whateverTheNetwork,
        refetchOnReconnect: true,
        retry: (count, error) => count < 2 && isWorthAnotherTry(error),
      },
      // Passwords are among what they are called with: forgotten with the form.
      mutations: { ...whateverTheNetwork, gcTime: 0 },
    },
  })

  function noteFailure(error: unknown): void {
    if (isProblem(error, 'SESSION_REQUIRED')) client.setQueryData(sessionKey, null)
  }

  return client
}

/**
 * Asks whatever the browser thinks of its network: the portal may be on this
 * machine, and what cannot be sent has to fail now instead of going out later,
 * when nobody expects it.
 */
const whateverTheNetwork = { networkMode: 'always' } as const

function isWorthAnotherTry(error: unknown): boolean {
  return error instanceof ApiFailure && (error.status === 0 || error.status === 503)
}
