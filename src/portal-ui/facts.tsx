import { createContext, useContext } from 'react'
import type { KnownFacts } from './boot.ts'

/** Holds what the server wrote into the document about the portal. */
export const FactsContext = createContext<KnownFacts | undefined>(undefined)

/** What the page knows from the start: the gateway's address, where mails go. */
export function useFacts(): KnownFacts {
  const facts = useContext(FactsContext)
  if (facts === undefined) throw new Error('facts are only known inside the app')
  return facts
}
