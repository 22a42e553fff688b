import { Text, VisuallyHidden } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Time } from '../../components/time.tsx'
import { durationInWords } from '../../in-words.ts'

export interface CountdownProps {
  readonly resetsAt: string
  /** Milliseconds from the page's clock to the counter's clock. */
  readonly offsetMs: number
}

/**
 * Counts down to the next reset of a limit. Only sighted users get the seconds:
 * a screen reader announces the time of the reset, which does not change.
 */
export function Countdown({ resetsAt, offsetMs }: CountdownProps) {
  const now = useSecond() + offsetMs
  const seconds = (Date.parse(resetsAt) - now) / 1000
  return (
    <Text size="sm" c="dimmed">
      <span aria-hidden="true">
        {seconds <= 0 ? 'Resets now' : `Resets in ${durationInWords(seconds)}`}
      </span>
      <VisuallyHidden>
        Resets at <Time at={resetsAt} />
      </VisuallyHidden>
    </Text>
  )
}

/** The clock of the page in milliseconds, once a second. */
function useSecond(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
