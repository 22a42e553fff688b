import { Button, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { usePortalFacts } from '../../api/catalogue.ts'
import { isProblem } from '../../api/client.ts'
import { useVerification } from '../../api/session.ts'
import { Page } from '../../layout/page.tsx'
import { LinkMissing } from './link-missing.tsx'
import { NewPasswordForm } from './new-password-form.tsx'
import { useMailToken } from './use-mail-token.ts'

/** Where the link of the first mail leads: sets the password and opens the account. */
export function VerifyPage() {
  const token = useMailToken()
  const facts = usePortalFacts()
  const verification = useVerification()
  if (verification.isSuccess) {
    return (
      <Page title="Your password is set" width="narrow">
        <Stack gap="md" align="flex-start" role="status">
          <Text>
            {facts.data?.signUp === 'approval'
              ? 'An operator approves the account now. A mail tells you as soon as you can sign in.'
              : 'You can sign in now.'}
          </Text>
          {facts.data?.signUp === 'approval' ? null : (
            <Button component={Link} href={pagePaths.signIn}>
              Sign in
            </Button>
          )}
        </Stack>
      </Page>
    )
  }
  const isUsed = isProblem(verification.error, 'LINK_INVALID')
  if (token === undefined || isUsed) {
    return (
      <Page title="Set your password" width="narrow">
        <LinkMissing href={pagePaths.signUp} label="Sign up again for a new link" isUsed={isUsed} />
      </Page>
    )
  }
  return (
    <Page
      title="Set your password"
      lead="One more step: choose a password, and the account is yours."
      width="narrow"
    >
      <NewPasswordForm
        action="Set the password"
        onSubmit={(password) => verification.mutate({ token, password })}
        isPending={verification.isPending}
        error={verification.error}
      />
    </Page>
  )
}
