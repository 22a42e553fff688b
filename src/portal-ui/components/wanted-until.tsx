import { Message } from './message.tsx'
import { Time } from './time.tsx'

/** Until when a developer wants more calls, and whether that is over. @param at ISO 8601 */
export function WantedUntil({ at }: { readonly at: string }) {
  const isOver = Date.parse(at) <= Date.now()
  return (
    <Message
      id={isOver ? 'moreCalls.wantedUntilOver' : 'moreCalls.wantedUntil'}
      values={{ until: <Time at={at} key="until" /> }}
    />
  )
}
