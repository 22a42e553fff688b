import { Text } from '@mantine/core'
import type { Developer } from '../../../portal/api/schemas/accounts.ts'
import { Message } from '../../components/message.tsx'
import { Time } from '../../components/time.tsx'
import { useFacts } from '../../facts.tsx'
import { t } from '../../words.ts'
import { ProfileSection } from './profile-section.tsx'

/** Which terms the developer accepted, and when; nothing where the bank has none. */
export function TermsSection({ acceptedTerms }: Pick<Developer, 'acceptedTerms'>) {
  const { terms } = useFacts().brand
  if (terms === null) return null
  return (
    <ProfileSection
      title={t('shell.terms')}
      lead={
        <Message
          id="terms.read"
          values={{ version: <bdi>{terms.version}</bdi> }}
          tags={{ link: (text) => <a href={terms.url}>{text}</a> }}
        />
      }
    >
      <Text>
        {acceptedTerms === null ? (
          t('terms.notAccepted')
        ) : (
          <Message
            id="terms.accepted"
            values={{
              version: <bdi>{acceptedTerms.version}</bdi>,
              time: <Time at={acceptedTerms.acceptedAt} />,
            }}
          />
        )}
      </Text>
    </ProfileSection>
  )
}
