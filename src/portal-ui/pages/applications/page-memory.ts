import { useCallback, useEffect, useMemo, useState } from 'react'
import type { IssuedKey } from '../../../portal/api/schemas/applications.ts'
import type { ApprovedConsents, ReadyConsent } from '../../../portal/api/schemas/sandbox.ts'
import { issuePageKey } from '../../api/applications.ts'
import type { KnownIds } from '../../calls/call-draft.ts'
import { idName } from '../../calls/id-name.ts'
import { createPageKey, type PageKey } from '../../calls/page-key.ts'
import { takeHandedKey, takeHandedProblem } from './keys/handed-key.ts'

/**
 * What an application's page remembers while it is open and nowhere else:
 * keys and other secrets it was shown or given, and ids that answers told. Leaving or reloading
 * the page drops them.
 */
export interface PageMemory {
  /** What failed while the application was made, until it has a key. */
  readonly problem: Error | undefined
  /** Keys made on this page, newest first. */
  readonly keys: readonly IssuedKey[]
  /** The key whose panel is shown, until it is dismissed. */
  readonly shown: IssuedKey | undefined
  /** Whether the developer has said that the shown key is stored. */
  readonly isStored: boolean
  /** The newest of each name. */
  readonly ids: KnownIds
  /** All ids received, the newest first, by the same names. */
  readonly toldIds: Readonly<Record<string, readonly string[]>>
  /** Ready consents of this page, the newest of each customer. */
  readonly ready: readonly ReadyConsent[]
  /** The key calls are tried with, or {@link forThisPage}; undefined until one is chosen. */
  readonly triedKey: string | undefined
  /** Secrets of the APIs themselves, by {@link secretName}. */
  readonly secrets: Readonly<Record<string, string>>
  readonly issue: (key: IssuedKey) => void
  readonly noteStored: () => void
  readonly putAway: () => void
  /** Drops a key that no longer works. */
  readonly forget: (keyId: string) => void
  readonly learn: (ids: KnownIds) => void
  /** Learns a ready consent, which replaces the earlier consents of its customer. */
  readonly learnReady: (consent: ReadyConsent) => void
  /** Drops an id that no longer works. */
  readonly unlearn: (name: string, id: string) => void
  /** Keeps the newest valid consent and drops those that have ended. */
  readonly noteApproved: (consents: ApprovedConsents['items']) => void
  readonly tryWith: (key: string) => void
  /** Sends a call with the key for this page. */
  readonly sendFromPage: PageKey['send']
  readonly keepSecret: (name: string, secret: string) => void
}

/** Key of a secret in {@link PageMemory.secrets}: each security scheme of each version has its own. */
export function secretName(versionId: string, scheme: string): string {
  return `${versionId} ${scheme}`
}

/** Stands for the key for this page where a key is chosen. */
export const forThisPage = 'page'

/** Name of the ids of consents. */
const consentName = idName('Consent-ID')
/** Ids kept for one name; older ones are dropped. */
const idsMax = 5

/** Memory of one application's page; begins with the key that was handed to it. */
export function usePageMemory(applicationId: string): PageMemory {
  const [keys, setKeys] = useState<readonly IssuedKey[]>([])
  const [shownId, setShownId] = useState<string>()
  const [problem, setProblem] = useState<Error>()
  const [isStored, setIsStored] = useState(false)
  const [toldIds, setToldIds] = useState<PageMemory['toldIds']>({})
  const [ready, setReady] = useState<PageMemory['ready']>([])
  const [triedKey, tryWith] = useState<string>()
  const [secrets, setSecrets] = useState<PageMemory['secrets']>({})

  const issue = useCallback((key: IssuedKey) => {
    setKeys((known) => [key, ...known])
    setShownId(key.id)
    setProblem(undefined)
    setIsStored(false)
    tryWith(undefined)
  }, [])
  useEffect(() => {
    const handed = takeHandedKey(applicationId)
    if (handed !== undefined) issue(handed)
    const failed = takeHandedProblem(applicationId)
    if (failed !== undefined) setProblem(failed)
  }, [applicationId, issue])
  const forget = useCallback((keyId: string) => {
    setKeys((known) => known.filter(({ id }) => id !== keyId))
    tryWith(undefined)
  }, [])
  const keepSecret = useCallback((name: string, secret: string) => {
    setSecrets((known) => ({ ...known, [name]: secret }))
  }, [])
  const { send: sendFromPage } = useMemo(
    () => createPageKey(() => issuePageKey(applicationId)),
    [applicationId],
  )
  const noteStored = useCallback(() => setIsStored(true), [])
  const putAway = useCallback(() => setShownId(undefined), [])
  const learn = useCallback((more: KnownIds) => {
    setToldIds((known) => {
      const changed = Object.entries(more).map(([name, id]) => {
        const others = (known[name] ?? []).filter((each) => each !== id)
        return [name, [id, ...others].slice(0, idsMax)] as const
      })
      return { ...known, ...Object.fromEntries(changed) }
    })
  }, [])
  const unlearn = useCallback((name: string, id: string) => {
    setToldIds((known) => ({
      ...known,
      [name]: (known[name] ?? []).filter((each) => each !== id),
    }))
  }, [])
  const learnReady = useCallback(
    (consent: ReadyConsent) => {
      const isSame = ({ psuName }: ReadyConsent) => psuName === consent.psuName
      for (const { consentId } of ready.filter(isSame)) unlearn(consentName, consentId)
      learn({ [consentName]: consent.consentId })
      setReady([consent, ...ready.filter((each) => !isSame(each))])
    },
    [ready, learn, unlearn],
  )
  const noteApproved = useCallback(
    (consents: ApprovedConsents['items']) => {
      setToldIds((known) => {
        const valid = consents.filter(({ consentStatus }) => consentStatus === 'valid')
        const over = consents.filter((each) => !valid.includes(each)).map((each) => each.consentId)
        const replaced = ready.filter((each) =>
          valid.some(({ psuName }) => psuName === each.psuName),
        )
        over.push(...replaced.map(({ consentId }) => consentId))
        const told = known[consentName] ?? []
        const newest = valid.slice(0, 1).map((each) => each.consentId)
        const untold = newest.filter((id) => !told.includes(id))
        const current = [...untold, ...told].filter((id) => !over.includes(id)).slice(0, idsMax)
        return current.join() === told.join() ? known : { ...known, [consentName]: current }
      })
    },
    [ready],
  )

  return useMemo(() => {
    const shown = keys.find(({ id }) => id === shownId)
    const newest = Object.entries(toldIds).flatMap(([name, [id]]) => (id ? [[name, id]] : []))
    const ids = Object.fromEntries(newest)
    const known = { problem, keys, shown, isStored, ids, toldIds, ready, triedKey, secrets }
    const ofKeys = { issue, noteStored, putAway, forget, tryWith, sendFromPage, keepSecret }
    return { ...known, ...ofKeys, learn, learnReady, unlearn, noteApproved }
  }, [
    problem,
    keys,
    shownId,
    isStored,
    toldIds,
    ready,
    triedKey,
    secrets,
    sendFromPage,
    keepSecret,
    issue,
    noteStored,
    putAway,
    forget,
    learn,
    learnReady,
    unlearn,
    noteApproved,
  ])
}
