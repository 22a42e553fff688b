import { Fragment } from 'react'
import { Time } from './time.tsx'

export interface LocalTimesProps {
  /** A sentence of the API with times such as `15:00 UTC`, `15:00:07 UTC` or `15:00 UTC on 2026-11-22`. */
  readonly text: string
  /** ISO 8601; the day of times that name no day. */
  readonly at: string
}

/** The sentence with its times in the reader's zone, like all times of the page. */
export function LocalTimes({ text, at }: LocalTimesProps) {
  // The pattern has two groups, so text, clock and day alternate.
  const parts = text.split(/(\d\d:\d\d(?::\d\d)?) UTC(?: on (\d{4}-\d\d-\d\d))?/)
  return parts.map((part, index) => {
    if (index % 3 === 2) return null
    if (index % 3 === 0) {
      // biome-ignore lint/suspicious/noArrayIndexKey: the sentence never changes
      return <Fragment key={index}>{part}</Fragment>
    }
    const day = parts[index + 1] ?? at.slice(0, 10)
    // biome-ignore lint/suspicious/noArrayIndexKey: the sentence never changes
    return <Time key={index} at={`${day}T${part}${part.length === 5 ? ':00' : ''}Z`} />
  })
}
