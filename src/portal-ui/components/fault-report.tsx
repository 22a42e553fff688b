import { Text } from '@mantine/core'
import { Message } from './message.tsx'

/** Shows what to report if a page fails again: the error and the path. The query may hold secrets, so it is left out. */
export function FaultReport({ error }: { readonly error: unknown }) {
  return (
    <Text size="sm" component="div">
      <Message
        id="fault.report"
        values={{ error: `${String(error)} (${window.location.pathname})` }}
      />
    </Text>
  )
}
