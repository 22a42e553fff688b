import { useCallback, useMemo, useState } from 'react'
import type { IssuedKey } from '../../../gateway/portal/schemas/applications.ts'
import type { KnownIds } from './call-draft.ts'

/**
 * What an application's page remembers while it is open and nowhere else:
 * keys it was shown, and ids that answers told. Leaving or reloading the page
 * forgets both.
 */
export interface PageMemory {
  /** Keys made on this page, newest first. */
  readonly keys: readonly IssuedKey[]
  /** The key whose panel shows, until it is put away. */
  readonly shown: IssuedKey | undefined
  /** Whether the developer has said that the shown key is stored. */
  readonly isStored: boolean
  readonly ids: KnownIds
  readonly issue: (key: IssuedKey) => void
  readonly noteStored: () => void
  readonly putAway: () => void
  /** Forgets a key that no longer works. */
  readonly forget: (keyId: string) => void
  readonly learn: (ids: KnownIds) => void
}

/** Memory of one application's page. */
export function usePageMemory(): PageMemory {
  const [keys, setKeys] = useState<readonly IssuedKey[]>([])
  const [shownId, setShownId] = useState<string>()
  const [isStored, setIsStored] = useState(false)
  const [ids, setIds] = useState<KnownIds>({})

  const issue = useCallback((key: IssuedKey) => {
    setKeys((known) => [key, ...known])
    setShownId(key.id)
    setIsStored(false)
  }, [])
  const forget = useCallback((keyId: string) => {
    setKeys((known) => known.filter(({ id }) => id !== keyId))
  }, [])
  const noteStored = useCallback(() => setIsStored(true), [])
  const putAway = useCallback(() => setShownId(undefined), [])
  const learn = useCallback((more: KnownIds) => setIds((known) => ({ ...known, ...more })), [])

  return useMemo(() => {
    const shown = keys.find(({ id }) => id === shownId)
    return { keys, shown, isStored, ids, issue, noteStored, putAway, forget, learn }
  }, [keys, shownId, isStored, ids, issue, noteStored, putAway, forget, learn])
}
