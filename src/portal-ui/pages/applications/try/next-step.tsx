import { useKeys, useSubscriptions } from '../../../api/applications.ts'
import { Message } from '../../../components/message.tsx'
import { NoticeLine } from '../../../components/notice-line.tsx'
import { pageLink } from '../../../components/text-link.tsx'
import { type ApplicationTab, tabPath } from '../../../tab-path.ts'

export interface NextStepProps {
  readonly applicationId: string
  /** The current tab; a step is not shown on its own tab. */
  readonly tab: ApplicationTab
}

/** Points to what is missing before the application can make a call. */
export function NextStep({ applicationId, tab }: NextStepProps) {
  const missing = useMissing(applicationId)
  if (missing === undefined || missing === tab) return null
  return (
    <NoticeLine tone="accent">
      <span role="status">
        <Message
          id={missing === 'keys' ? 'nextStep.key' : 'nextStep.subscribe'}
          tags={{ link: pageLink(tabPath(applicationId, missing)) }}
        />
      </span>
    </NoticeLine>
  )
}

/** The tab that has what is missing; undefined while that is not known, and when nothing is. */
export function useMissing(applicationId: string): 'keys' | 'subscriptions' | undefined {
  const subscriptions = useSubscriptions(applicationId)
  const keys = useKeys(applicationId)
  if (subscriptions.data === undefined || keys.data === undefined) return undefined
  if (subscriptions.data.items.length === 0) return 'subscriptions'
  const hasKey = keys.data.items.some(({ state }) => state === 'active' || state === 'replaced')
  return hasKey ? undefined : 'keys'
}
