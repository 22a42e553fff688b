import { Stack, Text, TextInput } from '@mantine/core'
import type { Developer } from '../../../gateway/portal/schemas/accounts.ts'
import { useDeveloper } from '../../api/session.ts'
import { PasswordField } from '../../components/password-field.tsx'
import { newPasswordRules, PasswordLength } from '../../components/password-length.tsx'
import { Time } from '../../components/time.tsx'
import { useFacts } from '../../facts.tsx'
import { Page } from '../../layout/page.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { MailPreferences } from './mail-preferences.tsx'
import { ProfileForm } from './profile-form.tsx'
import { ProfileSection } from './profile-section.tsx'
import { SecondFactorSection } from './second-factor-section.tsx'
import { SessionsSection } from './sessions-section.tsx'

/** The developer's own profile: name, address, password, second factor, mails, sessions, deletion. */
export function ProfilePage() {
  const developer = useDeveloper()
  return (
    <Page
      title="Profile"
      lead={
        <>
          <bdi>{developer.email}</bdi>, since <Time at={developer.createdAt} />
        </>
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
        <ProfileSection
          title="Emails"
          lead="You always get emails about your account, for example when your password changes."
        >
          <MailPreferences mails={developer.mails} />
        </ProfileSection>
        <SessionsSection />
        <ProfileSection
          title="Delete account"
          lead="This deletes your account and all its applications. Their keys stop working."
        >
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
      title="Sign-in"
      lead={`You sign in with ${signInProvider ?? 'another service'}.`}
    >
      <Text>
        Your name <bdi>{name}</bdi> and your address <bdi>{email}</bdi> come from your first sign-in
        there. To change your password or your second factor, go there, too.
      </Text>
    </ProfileSection>
  )
}

function NameSection({ developer }: { readonly developer: Developer }) {
  return (
    <ProfileSection title="Name" lead="Your display name.">
      <ProfileForm field="name" initial={developer.name} action="Change name" done="Name changed">
        {(input) => (
          <TextInput label="Name" {...input} autoComplete="name" maxLength={100} required />
        )}
      </ProfileForm>
    </ProfileSection>
  )
}

function EmailSection({ developer: { email, pendingEmail } }: { readonly developer: Developer }) {
  return (
    <ProfileSection
      title="Email address"
      lead={
        <Stack gap={6}>
          <span>
            You sign in with <bdi>{email}</bdi>. We email a link to the new address to confirm it.
          </span>
          {pendingEmail === null ? null : (
            <Text inherit c="bright" role="status">
              Waiting for you to open the link sent to <bdi>{pendingEmail}</bdi>.
            </Text>
          )}
        </Stack>
      }
    >
      <ProfileForm field="email" initial="" action="Change address" done="We sent you a link">
        {(input) => (
          <TextInput
            label="New address"
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
    <ProfileSection
      title="Password"
      lead={`${newPasswordRules} A new password ends your other sessions.`}
    >
      <ProfileForm field="password" initial="" action="Change password" done="Password changed">
        {(input) => (
          <>
            <PasswordField label="New password" {...input} autoComplete="new-password" required />
            {input.error === undefined ? <PasswordLength password={input.value} /> : null}
          </>
        )}
      </ProfileForm>
    </ProfileSection>
  )
}
