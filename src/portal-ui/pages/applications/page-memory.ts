import { useCallback, useMemo, useState } from 'react'
import type { IssuedKey } from '../../../gateway/portal/schemas/applications.ts'
import type { KnownIds } from '../../calls/call-draft.ts'

/**
 * What an application's page remembers while it is open and nowhere else:
 * keys it was shown or given, and ids that answers told. Leaving or reloading
 * the page forgets them.
 */
export interface PageMemory {
  /** Keys made on this page, newest first. */
  readonly keys: readonly IssuedKey[]
  /** The key whose panel shows, until it is put away. */
  readonly shown: IssuedKey | undefined
  /** Whether the developer has said that the shown key is stored. */
  readonly isStored: boolean
  readonly ids: KnownIds
  /** The key calls are tried with; undefined until one is chosen. */
  readonly triedKey: string | undefined
  readonly issue: (key: IssuedKey) => void
  readonly noteStored: () => void
  readonly putAway: () => void
  /** Forgets a key that no longer works. */
  readonly forget: (keyId: string) => void
  readonly learn: (ids: KnownIds) => void
  readonly tryWith: (key: string) => void
}

/** Memory of one application's page. */
export function usePageMemory(): PageMemory {
  const [keys, setKeys] = useState<readonly IssuedKey[]>([])
  const [shownId, setShownId] = useState<string>()
  const [isStored, setIsStored] = useState(false)
  const [ids, setIds] = useState<KnownIds>({})
  const [triedKey, tryWith] = useState<string>()

  const issue = useCallback((key: IssuedKey) => {
    setKeys((known) => [key, ...known])
    setShownId(key.id)
    setIsStored(false)
    tryWith(undefined)
  }, [])
  const forget = useCallback((keyId: string) => {
    setKeys((known) => known.filter(({ id }) => id !== keyId))
    tryWith(undefined)
  }, [])
  const noteStored = useCallback(() => setIsStored(true), [])
  const putAway = useCallback(() => setShownId(undefined), [])
  const learn = useCallback((more: KnownIds) => setIds((known) => ({ ...known, ...more })), [])

  return useMemo(() => {
    const shown = keys.find(({ id }) => id === shownId)
    const known = { keys, shown, isStored, ids, triedKey }
    return { ...known, issue, noteStored, putAway, forget, learn, tryWith }
  }, [keys, shownId, isStored, ids, triedKey, issue, noteStored, putAway, forget, learn])
}
