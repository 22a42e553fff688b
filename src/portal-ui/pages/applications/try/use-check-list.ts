import { useLocalStorage } from '@mantine/hooks'
import { useEffect } from 'react'
import type { PublishedLimit } from '../../../../portal/api/schemas/catalogue.ts'
import { useCallMade } from '../../../api/calls.ts'
import { useApprovedConsents } from '../../../api/sandbox.ts'
import { useHistory } from '../../../api/usage.ts'
import {
  callsOfSteps,
  type Step,
  type StepOperations,
  stepOperations,
  steps,
} from '../../../calls/check-list.ts'
import { useFacts } from '../../../facts.tsx'
import { type SubscribedVersion, useSubscribedVersions } from '../subscribed-versions.ts'

/** The check list of an application that has made its first call. */
export interface CheckListState {
  readonly version: SubscribedVersion
  readonly operations: StepOperations
  /** The limit that the step `limit` reaches. */
  readonly limit: PublishedLimit | undefined
  /** Whether a consent that a person approved is valid now. False once the step `consent` is done. */
  readonly hasConsent: boolean
  readonly items: readonly { readonly step: Step; readonly isDone: boolean }[]
  readonly hide: () => void
}

interface CheckListOptions {
  /** Whether the developer looks at the usage now. */
  readonly isAtUsage?: boolean
  /** Whether the list begins before the first call. */
  readonly isEarly?: boolean
}

/** The highest limit that the pasted commands reach; they make one call more. */
const loopMax = 1_000

/**
 * Follows an application through its first hour. This browser keeps what was
 * done, because records of calls go after a day. Undefined without a sandbox or
 * a subscription that can read accounts, before the first call unless `isEarly`,
 * once hidden, and once the application has calls from before yesterday (UTC). What is done comes last.
 */
export function useCheckList(
  applicationId: string,
  { isAtUsage = false, isEarly = false }: CheckListOptions,
): CheckListState | undefined {
  const { hasSandbox } = useFacts()
  const { versions } = useSubscribedVersions(applicationId)
  const [kept, keep] = useLocalStorage<string | undefined>({
    key: `check-list ${applicationId}`,
    getInitialValueInEffect: false,
    serialize: String,
    deserialize: (text = '') => text,
  })
  const { data: month } = useHistory(applicationId, { span: '30d' })
  const isSettled = month?.items
    .slice(0, -2)
    .some(({ admitted, refused }) => admitted + refused > 0)
  const words = new Set(kept?.split(' '))
  const version = versions?.find(({ operations }) => stepOperations(operations).accounts)
  const operations = stepOperations(version?.operations ?? [])
  const limit = reachableLimit(version)
  const offered: Readonly<Record<Step, boolean>> = {
    call: true,
    consent: operations.consent !== undefined,
    payment: operations.payment !== undefined,
    limit: operations.spare !== undefined && limit !== undefined,
    usage: true,
  }
  const isOffered =
    hasSandbox && version !== undefined && !words.has('hidden') && isSettled === false
  const isOpen = isOffered && steps.some((step) => offered[step] && !words.has(step))
  const isAwaited = (step: Step) =>
    isOffered && offered[step] && !words.has(step) && (step === 'call' || words.has('call'))
  const calls = callsOfSteps(operations)
  const consents = useApprovedConsents(applicationId, isAwaited('consent')).data?.items ?? []
  const taken = {
    call: useCallMade(applicationId, isAwaited('call') ? calls.call : undefined),
    consent: consents.some(({ firstUsedAt }) => firstUsedAt !== null),
    payment: useCallMade(applicationId, isAwaited('payment') ? calls.payment : undefined),
    limit: useCallMade(applicationId, isAwaited('limit') ? calls.limit : undefined),
    usage: false,
  }
  const done = new Set<string>([...words, ...steps.filter((step) => taken[step])])
  if (isOpen && isAtUsage && done.has('call')) done.add('usage')
  const known = steps.filter((step) => done.has(step)).join(' ')
  useEffect(() => {
    if (isOpen && known !== '') keep(known)
  }, [isOpen, known, keep])

  if (!isOffered || !(isEarly || done.has('call'))) return undefined
  return {
    version,
    operations,
    limit,
    hasConsent: consents.some(({ consentStatus }) => consentStatus === 'valid'),
    items: steps
      .filter((step) => offered[step])
      .map((step) => ({ step, isDone: done.has(step) }))
      .toSorted((a, b) => Number(a.isDone) - Number(b.isDone)),
    hide: () => keep(`${known} hidden`),
  }
}

function reachableLimit(version: SubscribedVersion | undefined): PublishedLimit | undefined {
  const plan = version?.plans.find(({ name }) => name === version.subscription.plan)
  return plan?.limits.find(({ scope, calls }) => scope === 'operation' && calls <= loopMax)
}
