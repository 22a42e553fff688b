import { relativeTime } from '../in-words.ts'
import { useNow } from '../use-now.ts'
import { exactTime } from './time.tsx'

export interface AgoProps {
  /** ISO 8601. */
  readonly at: string
}

/** How long ago something was, `2 min ago`; the exact time on hover. */
export function Ago({ at }: AgoProps) {
  const now = useNow(15_000)
  return (
    <bdi>
      <time dateTime={at} title={exactTime(at)}>
        {relativeTime(Math.min(0, Date.parse(at) - now))}
      </time>
    </bdi>
  )
}
