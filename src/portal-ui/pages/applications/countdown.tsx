import { Text, VisuallyHidden } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Time } from '../../components/time.tsx'
import { durationInWords } from '../../in-words.ts'

export interface CountdownProps {
  readonly resetsAt: string
  /** What to add to the clock of the page to get that of the counter, in milliseconds. */
  readonly offsetMs: number
}

/**
 * Counts down to the end of a window. The seconds are for the eye only: a
 * screen reader is told the moment, which does not change.
 */
export function Countdown({ resetsAt, offsetMs }: CountdownProps) {
  const now = useSecond() + offsetMs
  const seconds = (Date.parse(resetsAt) - now) / 1000
  return (
    <Text size="sm" c="dimmed">
      <span aria-hidden="true">
        {seconds <= 0 ? 'A new window begins' : `Resets in ${durationInWords(seconds)}`}
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
