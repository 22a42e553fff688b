import { Text } from '@mantine/core'
import { pagePaths } from '../../../portal/pages/page-paths.ts'
import { isProblem } from '../../api/client.ts'
import { useOptOut, useOptOutFacts } from '../../api/session.ts'
import { Message } from '../../components/message.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { t } from '../../words.ts'
import { LinkButton } from './link-button.tsx'
import { MailLinkPage } from './mail-link-page.tsx'
import { useMailToken } from './use-mail-token.ts'

/** The opt-out link of a mail opens this page; needs no session. */
export function OptOutPage() {
  const token = useMailToken()
  const facts = useOptOutFacts(token)
  const optOut = useOptOut()
  const profile = { href: pagePaths.profile, label: t('optOut.profile') }
  return (
    <MailLinkPage
      title={t('optOut.title')}
      token={isProblem(facts.error, 'LINK_INVALID') ? undefined : token}
      mutation={optOut}
      done={{
        title: t('optOut.done'),
        children: (
          <>
            <Text>{t('optOut.stillAccount')}</Text>
            <TextLink href={profile.href}>{profile.label}</TextLink>
          </>
        ),
      }}
      another={profile}
    >
      {(token) => (
        <>
          <Text>
            {facts.data === undefined ? (
              // The link works even while the portal cannot show whose it is.
              (facts.isError && t('optOut.lead')) || '\u00a0'
            ) : (
              <Message
                id="optOut.ask"
                values={{ mail: facts.data.mail, address: <bdi>{facts.data.address}</bdi> }}
              />
            )}
          </Text>
          <LinkButton token={token} mutation={optOut} action={t('optOut.action')} />
          <Text c="dimmed" size="sm">
            {t('optOut.stillAccount')}
          </Text>
        </>
      )}
    </MailLinkPage>
  )
}
