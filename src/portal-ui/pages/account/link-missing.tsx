import { Stack, Text } from '@mantine/core'
import { TextLink } from '../../components/text-link.tsx'

export interface LinkMissingProps {
  /** Path of the page that sends a new link. */
  readonly href: string
  /** Label of the link there: "Ask for a new one". */
  readonly label: string
  /** Whether there was a link, and the portal refused it. */
  readonly isUsed: boolean
}

/** Shown where a mail link does not work. */
export function LinkMissing({ href, label, isUsed }: LinkMissingProps) {
  return (
    <Stack gap="md" role={isUsed ? 'alert' : undefined}>
      <Text>
        {isUsed
          ? 'This link has expired or was already used. Links in our emails work once, within ten minutes.'
          : 'This page opens from a link in an email. Part of that link is missing.'}
      </Text>
      <TextLink href={href}>{label}</TextLink>
    </Stack>
  )
}
