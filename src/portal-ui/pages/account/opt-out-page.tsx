import { Text } from '@mantine/core'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { useOptOut } from '../../api/session.ts'
import { TextLink } from '../../components/text-link.tsx'
import { LinkButton } from './link-button.tsx'
import { MailLinkPage } from './mail-link-page.tsx'

const profile = { href: pagePaths.profile, label: 'Choose your emails in your profile' }

/** The opt-out link of a mail opens this page; needs no session. */
export function OptOutPage() {
  const optOut = useOptOut()
  return (
    <MailLinkPage
      title="Fewer emails"
      lead="Stop emails like the one that brought you here."
      mutation={optOut}
      done={{
        title: 'You will no longer get these emails',
        children: (
          <>
            <Text>
              You still get emails about your account, for example when your password changes.
            </Text>
            <TextLink href={profile.href}>{profile.label}</TextLink>
          </>
        ),
      }}
      another={profile}
    >
      {(token) => <LinkButton token={token} mutation={optOut} action="Stop these emails" />}
    </MailLinkPage>
  )
}
