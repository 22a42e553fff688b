import { Button, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { isProblem } from '../../api/client.ts'
import { usePasswordResetConfirmation } from '../../api/session.ts'
import { Page } from '../../layout/page.tsx'
import { LinkMissing } from './link-missing.tsx'
import { NewPasswordForm } from './new-password-form.tsx'
import { useMailToken } from './use-mail-token.ts'

/** The link to set a new password opens this page. */
export function ResetConfirmPage() {
  const token = useMailToken()
  const confirmation = usePasswordResetConfirmation()
  if (confirmation.isSuccess) {
    return (
      <Page title="Your new password is set" width="narrow" isNew>
        <Stack gap="md" align="flex-start" role="status">
          <Text>You are signed out on all devices. Sign in with the new password.</Text>
          <Button component={Link} href={pagePaths.signIn}>
            Sign in
          </Button>
        </Stack>
      </Page>
    )
  }
  const isUsed = isProblem(confirmation.error, 'LINK_INVALID')
  if (token === undefined || isUsed) {
    return (
      <Page title="Set a new password" width="narrow">
        <LinkMissing href={pagePaths.reset} label="Ask for a new link" isUsed={isUsed} />
      </Page>
    )
  }
  return (
    <Page
      title="Set a new password"
      lead="It replaces the old one and signs you out on all devices."
      width="narrow"
    >
      <NewPasswordForm
        action="Set the password"
        mutation={confirmation}
        onSubmit={(password) => confirmation.mutate({ token, password })}
      />
    </Page>
  )
}
