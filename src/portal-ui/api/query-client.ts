import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiFailure, isProblem } from './client.ts'
import { sessionKey } from './session.ts'

/**
 * The cache of responses. When any call learns that the session has ended, the
 * whole page reads the session again. Retries only calls without a response, and 503.
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
      // Their variables may hold passwords, so they are dropped with the form.
      mutations: { ...whateverTheNetwork, gcTime: 0 },
    },
  })

  function noteFailure(error: unknown): void {
    // Asks again: a proof may have changed the session's id while the call was on its way.
    if (isProblem(error, 'SESSION_REQUIRED')) {
      void client.invalidateQueries({ queryKey: sessionKey })
    }
  }

  return client
}

/**
 * Sends requests even if the browser reports no network: the portal may be on
 * this machine. A request that cannot be sent must fail now, not go out later
 * when the developer no longer expects it.
 */
const whateverTheNetwork = { networkMode: 'always' } as const

function isWorthAnotherTry(error: unknown): boolean {
  return error instanceof ApiFailure && (error.status === 0 || error.status === 503)
}
