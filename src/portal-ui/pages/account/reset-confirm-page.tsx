import { Button, Text } from '@mantine/core'
import { Link } from 'wouter'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { usePasswordResetConfirmation } from '../../api/session.ts'
import { MailLinkPage } from './mail-link-page.tsx'
import { NewPasswordForm } from './new-password-form.tsx'

/** The link to set a new password opens this page. */
export function ResetConfirmPage() {
  const confirmation = usePasswordResetConfirmation()
  return (
    <MailLinkPage
      title="Set a new password"
      lead="The new password signs you out on all devices."
      mutation={confirmation}
      done={{
        title: 'Your new password is set',
        children: (
          <>
            <Text>You are signed out on all devices. Sign in with the new password.</Text>
            <Button component={Link} href={pagePaths.signIn}>
              Sign in
            </Button>
          </>
        ),
      }}
      another={{ href: pagePaths.reset, label: 'Get a new link' }}
    >
      {(token) => <NewPasswordForm token={token} mutation={confirmation} />}
    </MailLinkPage>
  )
}
