import { Button, Stack, Text } from '@mantine/core'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { isProblem } from '../../api/client.ts'
import { useEmailConfirmation } from '../../api/session.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Page } from '../../layout/page.tsx'
import { LinkMissing } from './link-missing.tsx'
import { useMailToken } from './use-mail-token.ts'

/** The link to a new address opens this page. It asks for a click, because mail scanners open links too. */
export function ConfirmEmailPage() {
  const token = useMailToken()
  const confirmation = useEmailConfirmation()
  const isUsed = isProblem(confirmation.error, 'LINK_INVALID')
  if (confirmation.isSuccess) {
    return (
      <Page title="Your new address is confirmed" width="narrow" isNew>
        <Stack gap="md" role="status">
          <Text>Use it to sign in from now on. We also send emails there.</Text>
          <TextLink href={pagePaths.profile}>To your profile</TextLink>
        </Stack>
      </Page>
    )
  }
  if (token === undefined || isUsed) {
    return (
      <Page title="Confirm your new address" width="narrow">
        <LinkMissing
          href={pagePaths.profile}
          label="Ask for a new link in your profile"
          isUsed={isUsed}
        />
      </Page>
    )
  }
  return (
    <Page
      title="Confirm your new address"
      lead="It replaces the old one for signing in and for all emails."
      width="narrow"
    >
      <Stack gap="md" align="flex-start">
        <ProblemAlert error={confirmation.error} />
        <Button loading={confirmation.isPending} onClick={() => confirmation.mutate({ token })}>
          Use this address
        </Button>
      </Stack>
    </Page>
  )
}
