import { Button, Text } from '@mantine/core'
import { Link } from 'wouter'
import { pagePaths } from '../../../portal/pages/page-paths.ts'
import { usePasswordResetConfirmation } from '../../api/session.ts'
import { t } from '../../words.ts'
import { MailLinkPage } from './mail-link-page.tsx'
import { NewPasswordForm } from './new-password-form.tsx'

/** The page that the link of a password reset opens: it asks for the new password. */
export function ResetConfirmPage() {
  const confirmation = usePasswordResetConfirmation()
  return (
    <MailLinkPage
      title={t('resetConfirm.title')}
      lead={t('resetConfirm.lead')}
      mutation={confirmation}
      done={{
        title: t('resetConfirm.done'),
        children: (
          <>
            <Text>{t('resetConfirm.doneMeans')}</Text>
            <Button component={Link} href={pagePaths.signIn}>
              {t('account.signIn')}
            </Button>
          </>
        ),
      }}
      another={{ href: pagePaths.reset, label: t('resetConfirm.newLink') }}
    >
      {(token) => (
        <NewPasswordForm
          mutation={confirmation}
          terms={null}
          onSubmit={({ password }) => confirmation.mutate({ token, password })}
        />
      )}
    </MailLinkPage>
  )
}
