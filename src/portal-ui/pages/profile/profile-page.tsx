// This folder has the page on which developers change their own account. This file lists its sections.

import { Stack, Text, TextInput } from '@mantine/core'
import type { Developer } from '../../../portal/api/schemas/accounts.ts'
import { useDeveloper } from '../../api/session.ts'
import { Message } from '../../components/message.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { newPasswordRules, PasswordLength } from '../../components/password-length.tsx'
import { Time } from '../../components/time.tsx'
import { useFacts } from '../../facts.tsx'
import { Page } from '../../layout/page.tsx'
import { t } from '../../words.ts'
import { DeleteAccount } from './delete-account.tsx'
import { MailPreferences } from './mail-preferences.tsx'
import { NameSection } from './name-section.tsx'
import { OwnDataSection } from './own-data-section.tsx'
import { ProfileForm } from './profile-form.tsx'
import { ProfileSection } from './profile-section.tsx'
import { SecondFactorSection } from './second-factor-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { TermsSection } from './terms-section.tsx'

/** The developer's own profile: name, address, password, second factor, mails, sessions, deletion. */
export function ProfilePage() {
  const developer = useDeveloper()
  return (
    <Page
      title={t('profile.title')}
      lead={
        <Message
          id="profile.since"
          values={{
            email: <bdi>{developer.email}</bdi>,
            time: <Time at={developer.createdAt} />,
          }}
        />
      }
    >
      <Stack gap="lg">
        {developer.signsInWith === 'provider' ? (
          <ProviderSection developer={developer} />
        ) : (
          <>
            <NameSection developer={developer} />
            <EmailSection developer={developer} />
            <PasswordSection />
            <SecondFactorSection />
          </>
        )}
        <ProfileSection title={t('profile.mails')} lead={t('profile.mailsLead')}>
          <MailPreferences mails={developer.mails} />
        </ProfileSection>
        <SessionsSection />
        <TermsSection acceptedTerms={developer.acceptedTerms} />
        <OwnDataSection />
        <ProfileSection title={t('profile.delete')} lead={t('profile.deleteLead')}>
          <DeleteAccount developer={developer} />
        </ProfileSection>
      </Stack>
    </Page>
  )
}

/** Name, address, password and second factor are those of the provider. */
function ProviderSection({ developer: { name, email } }: { readonly developer: Developer }) {
  const { signInProvider } = useFacts()
  return (
    <ProfileSection
      title={t('profile.signIn')}
      lead={t('profile.signInWith', { provider: signInProvider ?? t('profile.otherService') })}
    >
      <Text>
        <Message
          id="profile.fromProvider"
          values={{ name: <bdi>{name}</bdi>, email: <bdi>{email}</bdi> }}
        />
      </Text>
    </ProfileSection>
  )
}

function EmailSection({ developer: { email, pendingEmail } }: { readonly developer: Developer }) {
  return (
    <ProfileSection
      title={t('profile.email')}
      lead={
        <Stack gap={6}>
          <span>
            <Message id="profile.emailLead" values={{ email: <bdi>{email}</bdi> }} />
          </span>
          {pendingEmail === null ? null : (
            <Text inherit c="bright" role="status">
              <Message id="profile.emailPending" values={{ email: <bdi>{pendingEmail}</bdi> }} />
            </Text>
          )}
        </Stack>
      }
    >
      <ProfileForm
        member="email"
        action={t('profile.changeEmail')}
        done={t('profile.emailLinkSent')}
      >
        {(input) => (
          <TextInput
            label={t('profile.newEmail')}
            type="email"
            {...input}
            autoComplete="email"
            maxLength={254}
            required
          />
        )}
      </ProfileForm>
    </ProfileSection>
  )
}

function PasswordSection() {
  return (
    <ProfileSection title={t('account.password')} lead={t('profile.passwordLead')}>
      <ProfileForm
        member="password"
        action={t('profile.changePassword')}
        done={t('profile.passwordChanged')}
      >
        {(input) => (
          <>
            <PasswordField
              label={t('account.newPassword')}
              description={newPasswordRules()}
              {...input}
              autoComplete="new-password"
            />
            {input.error === undefined ? <PasswordLength password={input.value} /> : null}
          </>
        )}
      </ProfileForm>
    </ProfileSection>
  )
}
