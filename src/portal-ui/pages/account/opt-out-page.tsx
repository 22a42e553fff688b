import { Button, Stack, Text } from '@mantine/core'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { isProblem } from '../../api/client.ts'
import { useOptOut } from '../../api/session.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Page } from '../../layout/page.tsx'
import { LinkMissing } from './link-missing.tsx'
import { useMailToken } from './use-mail-token.ts'

/** The opt-out link of a mail opens this page; needs no session. */
export function OptOutPage() {
  const token = useMailToken()
  const optOut = useOptOut()
  const isUsed = isProblem(optOut.error, 'LINK_INVALID')
  if (optOut.isSuccess) {
    return (
      <Page title="You will no longer get these emails" width="narrow" isNew>
        <Stack gap="md" role="status">
          <Text>
            You still get emails about your account, for example when your password changes.
          </Text>
          <TextLink href={pagePaths.profile}>Choose the emails you get in your profile</TextLink>
        </Stack>
      </Page>
    )
  }
  if (token === undefined || isUsed) {
    return (
      <Page title="Fewer emails" width="narrow">
        <LinkMissing
          href={pagePaths.profile}
          label="Choose the emails you get in your profile"
          isUsed={isUsed}
        />
      </Page>
    )
  }
  return (
    <Page title="Fewer emails" lead="Stop emails like the one you came from." width="narrow">
      <Stack gap="md" align="flex-start">
        <ProblemAlert error={optOut.error} />
        <Button loading={optOut.isPending} onClick={() => optOut.mutate({ token })}>
          Stop these emails
        </Button>
      </Stack>
    </Page>
  )
}
