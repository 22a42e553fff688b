import { useCallback } from 'react'
import { applicationTabs } from '../../../../portal/pages/page-paths.ts'
import { useLeaveQuestion } from '../../../layout/leaving.ts'
import { tabPath } from '../../../tab-path.ts'
import type { PageMemory } from '../page-memory.ts'
import { LeaveWithoutKey } from './leave-without-key.tsx'

export interface UnstoredKeyProps {
  readonly applicationId: string
  readonly memory: PageMemory
}

/** Asks before the page of an application is left, and with it a key that the developer has not stored. */
export function UnstoredKey({ applicationId, memory }: UnstoredKeyProps) {
  const { shown, isStored } = memory
  const unstored = isStored ? undefined : shown
  const isWithin = useCallback(
    (pathname: string) => applicationTabs.some((tab) => tabPath(applicationId, tab) === pathname),
    [applicationId],
  )
  const question = useLeaveQuestion({ isAsking: unstored !== undefined, isWithin })
  if (unstored === undefined) return null
  return <LeaveWithoutKey hint={unstored.hint} {...question} />
}
