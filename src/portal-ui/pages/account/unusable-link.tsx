import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { TextLink } from '../../components/text-link.tsx'
import { Page } from '../../layout/page.tsx'

export interface UnusableLinkProps {
  readonly title: string
  /** Whether the link no longer works; otherwise its token is missing. */
  readonly isUsed: boolean
  /** Where to go instead. */
  readonly another: { readonly href: string; readonly label: string }
  /** Says what is wrong with the link. */
  readonly children: ReactNode
}

/** The page of a link with a token that cannot be used. */
export function UnusableLink({ title, isUsed, another, children }: UnusableLinkProps) {
  return (
    <Page title={title} width="narrow">
      <Stack gap="md" role={isUsed ? 'alert' : undefined}>
        <Text>{children}</Text>
        <TextLink href={another.href}>{another.label}</TextLink>
      </Stack>
    </Page>
  )
}
