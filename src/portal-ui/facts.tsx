import { createContext, useContext } from 'react'
import type { KnownFacts } from './boot.ts'

/** Holds the facts about the portal that the server wrote into the document. */
export const FactsContext = createContext<KnownFacts | undefined>(undefined)

/** Facts known from the start, for example the gateway's address. */
export function useFacts(): KnownFacts {
  const facts = useContext(FactsContext)
  if (facts === undefined) throw new Error('facts are only known inside the app')
  return facts
}

/** The name under which the portal appears to developers. */
export function useBrandName(): string {
  return useFacts().brand.name
}
