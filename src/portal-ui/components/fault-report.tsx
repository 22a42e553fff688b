import { Code, Text } from '@mantine/core'

/** Shows what to report if a page fails again: the error and the path. The query may hold secrets, so it is left out. */
export function FaultReport({ error }: { readonly error: unknown }) {
  return (
    <Text size="sm">
      If reloading does not help, report this to the operator of the portal:{' '}
      <Code>
        {String(error)} ({window.location.pathname})
      </Code>
    </Text>
  )
}
