import { Button, Text } from '@mantine/core'
import { Link, Redirect } from 'wouter'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { usePortalFacts } from '../../api/catalogue.ts'
import { useSession, useVerification } from '../../api/session.ts'
import { MailLinkPage } from './mail-link-page.tsx'
import { NewPasswordForm } from './new-password-form.tsx'

/** The link of the first mail opens this page, which sets the password and signs in. */
export function VerifyPage() {
  const facts = usePortalFacts()
  const session = useSession()
  const verification = useVerification()
  if (verification.isSuccess && session.data)
    return <Redirect to={pagePaths.applications} replace />
  return (
    <MailLinkPage
      title="Choose your password"
      lead="This is the last step. Then you are signed in."
      mutation={verification}
      done={{
        title: 'Your password is set',
        children:
          facts.data?.signUp === 'approval' ? (
            <Text>
              An operator has to approve your account. We will email you when you can sign in.
            </Text>
          ) : (
            <>
              <Text>You can sign in now.</Text>
              <Button component={Link} href={pagePaths.signIn}>
                Sign in
              </Button>
            </>
          ),
      }}
      another={{ href: pagePaths.signUp, label: 'Sign up again for a new link' }}
    >
      {(token) => <NewPasswordForm token={token} mutation={verification} />}
    </MailLinkPage>
  )
}
