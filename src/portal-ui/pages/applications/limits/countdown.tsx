import { VisuallyHidden } from '@mantine/core'
import { Message } from '../../../components/message.tsx'
import { exactTime, Time } from '../../../components/time.tsx'
import { relativeTime } from '../../../in-words.ts'
import { useNow } from '../../../use-now.ts'
import { t } from '../../../words.ts'

export interface CountdownProps {
  readonly resetsAt: string
  /** Milliseconds from the page's clock to the counter's clock. */
  readonly offsetMs: number
}

/**
 * When a limit resets: "in 13 min", which changes seldom; in the last minute
 * every five seconds. A screen reader announces the time itself.
 */
export function Countdown({ resetsAt, offsetMs }: CountdownProps) {
  const leftMs = Date.parse(resetsAt) - (useNow(5_000) + offsetMs)
  return (
    <span title={exactTime(resetsAt)}>
      <span aria-hidden="true">
        {leftMs <= 0 ? t('limit.resetsNow') : t('limit.resets', { when: relativeTime(leftMs) })}
      </span>
      <VisuallyHidden>
        <Message id="limit.resetsAt" values={{ time: <Time at={resetsAt} /> }} />
      </VisuallyHidden>
    </span>
  )
}
