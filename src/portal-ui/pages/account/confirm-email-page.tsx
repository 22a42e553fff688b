import { Text } from '@mantine/core'
import { pagePaths } from '../../../portal/pages/page-paths.ts'
import { useEmailConfirmation } from '../../api/session.ts'
import { TextLink } from '../../components/text-link.tsx'
import { t } from '../../words.ts'
import { LinkButton } from './link-button.tsx'
import { MailLinkPage } from './mail-link-page.tsx'

/** The link to a new address opens this page. */
export function ConfirmEmailPage() {
  const confirmation = useEmailConfirmation()
  return (
    <MailLinkPage
      title={t('confirmEmail.title')}
      lead={t('confirmEmail.lead')}
      mutation={confirmation}
      done={{
        title: t('confirmEmail.done'),
        children: (
          <>
            <Text>{t('confirmEmail.doneMeans')}</Text>
            <TextLink href={pagePaths.profile}>{t('account.toProfile')}</TextLink>
          </>
        ),
      }}
      another={{ href: pagePaths.profile, label: t('confirmEmail.newLink') }}
    >
      {(token) => (
        <LinkButton token={token} mutation={confirmation} action={t('confirmEmail.action')} />
      )}
    </MailLinkPage>
  )
}
