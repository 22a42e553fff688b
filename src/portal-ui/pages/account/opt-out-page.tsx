import { Text } from '@mantine/core'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { useOptOut } from '../../api/session.ts'
import { TextLink } from '../../components/text-link.tsx'
import { t } from '../../words.ts'
import { LinkButton } from './link-button.tsx'
import { MailLinkPage } from './mail-link-page.tsx'

/** The opt-out link of a mail opens this page; needs no session. */
export function OptOutPage() {
  const optOut = useOptOut()
  const profile = { href: pagePaths.profile, label: t('optOut.profile') }
  return (
    <MailLinkPage
      title={t('optOut.title')}
      lead={t('optOut.lead')}
      mutation={optOut}
      done={{
        title: t('optOut.done'),
        children: (
          <>
            <Text>{t('optOut.stillAccount')}</Text>
            <TextLink href={profile.href}>{profile.label}</TextLink>
          </>
        ),
      }}
      another={profile}
    >
      {(token) => <LinkButton token={token} mutation={optOut} action={t('optOut.action')} />}
    </MailLinkPage>
  )
}
