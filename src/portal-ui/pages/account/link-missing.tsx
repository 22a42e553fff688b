import { Stack, Text } from '@mantine/core'
import { TextLink } from '../../components/text-link.tsx'

export interface LinkMissingProps {
  /** Path where a new link can be asked for. */
  readonly href: string
  /** Of that link: "Ask for a new one". */
  readonly label: string
  /** Whether there was a link at all, but it does not work any more. */
  readonly isUsed: boolean
}

/** Stands where a mail link led that opens nothing. */
export function LinkMissing({ href, label, isUsed }: LinkMissingProps) {
  return (
    <Stack gap="md" role={isUsed ? 'alert' : undefined}>
      <Text>
        {isUsed
          ? 'The link does not work any more. Links from mails work once, and for ten minutes.'
          : 'This page opens with the link of a mail; a part of it is missing here.'}
      </Text>
      <TextLink href={href}>{label}</TextLink>
    </Stack>
  )
}
