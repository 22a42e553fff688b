import { Button, Stack, Text } from '@mantine/core'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { isProblem } from '../../api/client.ts'
import { useOptOut } from '../../api/session.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Page } from '../../layout/page.tsx'
import { LinkMissing } from './link-missing.tsx'
import { useMailToken } from './use-mail-token.ts'

/** Where the opt-out link of a mail leads; needs no session. */
export function OptOutPage() {
  const token = useMailToken()
  const optOut = useOptOut()
  const isUsed = isProblem(optOut.error, 'LINK_INVALID')
  if (optOut.isSuccess) {
    return (
      <Page title="No more of these mails" width="narrow">
        <Stack gap="md" role="status">
          <Text>Mails about the account itself, such as a new password, still come.</Text>
          <TextLink href={pagePaths.profile}>Choose the mails you get in your profile</TextLink>
        </Stack>
      </Page>
    )
  }
  if (token === undefined || isUsed) {
    return (
      <Page title="Fewer mails" width="narrow">
        <LinkMissing
          href={pagePaths.profile}
          label="Choose the mails you get in your profile"
          isUsed={isUsed}
        />
      </Page>
    )
  }
  return (
    <Page
      title="Fewer mails"
      lead="You get no more mails of the kind this link was in."
      width="narrow"
    >
      <Stack gap="md" align="flex-start">
        <ProblemAlert error={optOut.error} />
        <Button loading={optOut.isPending} onClick={() => optOut.mutate({ token })}>
          Stop these mails
        </Button>
      </Stack>
    </Page>
  )
}
