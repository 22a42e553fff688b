import { Button, Text } from '@mantine/core'
import { Link, Redirect } from 'wouter'
import { pagePaths } from '../../../portal/pages/page-paths.ts'
import { usePortalFacts } from '../../api/catalogue.ts'
import { useSession, useVerification } from '../../api/session.ts'
import { useFacts } from '../../facts.tsx'
import { t } from '../../words.ts'
import { MailLinkPage } from './mail-link-page.tsx'
import { NewPasswordForm } from './new-password-form.tsx'

/** The link of the first mail opens this page, which sets the password and signs in. */
export function VerifyPage() {
  const facts = usePortalFacts()
  const session = useSession()
  const verification = useVerification()
  const { terms } = useFacts().brand
  if (verification.isSuccess && session.data)
    return <Redirect to={pagePaths.applications} replace />
  return (
    <MailLinkPage
      title={t('verify.title')}
      lead={t('verify.lead')}
      mutation={verification}
      done={{
        title: t('verify.done'),
        children:
          facts.data?.signUp === 'approval' ? (
            <Text>{t('verify.awaitsApproval')}</Text>
          ) : (
            <>
              <Text>{t('verify.doneMeans')}</Text>
              <Button component={Link} href={pagePaths.signIn}>
                {t('account.signIn')}
              </Button>
            </>
          ),
      }}
      another={{ href: pagePaths.signUp, label: t('verify.newLink') }}
    >
      {(token) => (
        <NewPasswordForm
          mutation={verification}
          terms={terms}
          onSubmit={(accepted) => verification.mutate({ token, ...accepted })}
        />
      )}
    </MailLinkPage>
  )
}
