import { Button, Stack, Text } from '@mantine/core'
import { Link, Redirect } from 'wouter'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { usePortalFacts } from '../../api/catalogue.ts'
import { isProblem } from '../../api/client.ts'
import { useSession, useVerification } from '../../api/session.ts'
import { Page } from '../../layout/page.tsx'
import { LinkMissing } from './link-missing.tsx'
import { NewPasswordForm } from './new-password-form.tsx'
import { useMailToken } from './use-mail-token.ts'

/** The link of the first mail opens this page, which sets the password and signs in. */
export function VerifyPage() {
  const token = useMailToken()
  const facts = usePortalFacts()
  const session = useSession()
  const verification = useVerification()
  if (verification.isSuccess) {
    if (session.data) return <Redirect to={pagePaths.applications} replace />
    return (
      <Page title="Your password is set" width="narrow" isNew>
        <Stack gap="md" align="flex-start" role="status">
          <Text>
            {facts.data?.signUp === 'approval'
              ? 'An operator has to approve your account. We will email you when you can sign in.'
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
      <Page title="Choose your password" width="narrow">
        <LinkMissing href={pagePaths.signUp} label="Sign up again for a new link" isUsed={isUsed} />
      </Page>
    )
  }
  return (
    <Page title="Choose your password" lead="One more step, and you are signed in." width="narrow">
      <NewPasswordForm
        action="Set the password"
        mutation={verification}
        onSubmit={(password) => verification.mutate({ token, password })}
      />
    </Page>
  )
}
