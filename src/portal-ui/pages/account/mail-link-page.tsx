import { Stack } from '@mantine/core'
import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isProblem } from '../../api/client.ts'
import { Page } from '../../layout/page.tsx'
import { t } from '../../words.ts'
import { UnusableLink } from './unusable-link.tsx'
import { useMailToken } from './use-mail-token.ts'

export interface MailLinkPageProps {
  readonly title: string
  readonly lead?: string
  /** (Default: that of the address) */
  readonly token?: string | undefined
  /** Uses the link. */
  readonly mutation: Pick<UseMutationResult<unknown, Error, never>, 'isSuccess' | 'error'>
  /** The page after that. */
  readonly done: { readonly title: string; readonly children: ReactNode }
  /** Where to get another link. */
  readonly another: { readonly href: string; readonly label: string }
  /** Shows what uses the link, given its token. */
  readonly children: (token: string) => ReactNode
}

/** The page that a link in a mail opens: what the link does, what it did, or why it does not work. */
export function MailLinkPage(props: MailLinkPageProps) {
  const { title, lead, mutation, done, another, children } = props
  const ofAddress = useMailToken()
  const token = 'token' in props ? props.token : ofAddress
  if (mutation.isSuccess) {
    return (
      <Page title={done.title} width="narrow" isNew>
        <Stack gap="md" align="flex-start" role="status">
          {done.children}
        </Stack>
      </Page>
    )
  }
  const isUsed = isProblem(mutation.error, 'LINK_INVALID')
  if (token === undefined || isUsed) {
    return (
      <UnusableLink title={title} isUsed={isUsed} another={another}>
        {isUsed ? t('mailLink.used') : t('mailLink.cut')}
      </UnusableLink>
    )
  }
  return (
    <Page title={title} {...(lead === undefined ? {} : { lead })} width="narrow">
      {children(token)}
    </Page>
  )
}
