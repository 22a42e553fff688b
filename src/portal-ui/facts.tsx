import { createContext, useContext } from 'react'
import type { PortalFacts } from '../gateway/portal/schemas/accounts.ts'

/** Holds what the server wrote into the document about itself. */
export const FactsContext = createContext<PortalFacts | undefined>(undefined)

/** What the page knows before anybody signs in: sign-up mode, gateway address, where mails go. */
export function useFacts(): PortalFacts {
  const facts = useContext(FactsContext)
  if (facts === undefined) throw new Error('facts are only known inside the app')
  return facts
}
