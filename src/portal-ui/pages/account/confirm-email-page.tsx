import { Text } from '@mantine/core'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { useEmailConfirmation } from '../../api/session.ts'
import { TextLink } from '../../components/text-link.tsx'
import { LinkButton } from './link-button.tsx'
import { MailLinkPage } from './mail-link-page.tsx'

/** The link to a new address opens this page. */
export function ConfirmEmailPage() {
  const confirmation = useEmailConfirmation()
  return (
    <MailLinkPage
      title="Confirm your new address"
      lead="It replaces your old address for sign-in and for all emails."
      mutation={confirmation}
      done={{
        title: 'Your new address is confirmed',
        children: (
          <>
            <Text>From now on, you sign in with this address and get our emails there.</Text>
            <TextLink href={pagePaths.profile}>To your profile</TextLink>
          </>
        ),
      }}
      another={{ href: pagePaths.profile, label: 'Get a new link in your profile' }}
    >
      {(token) => <LinkButton token={token} mutation={confirmation} action="Use this address" />}
    </MailLinkPage>
  )
}
