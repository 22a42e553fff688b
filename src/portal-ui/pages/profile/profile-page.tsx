import { Button, Stack, Text, TextInput } from '@mantine/core'
import type { Developer } from '../../../gateway/portal/schemas/accounts.ts'
import { useDeveloper, useSignOutEverywhere } from '../../api/session.ts'
import { PasswordField } from '../../components/password-field.tsx'
import { newPasswordRules, PasswordLength } from '../../components/password-length.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Time } from '../../components/time.tsx'
import { Page } from '../../layout/page.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { MailPreferences } from './mail-preferences.tsx'
import { ProfileForm } from './profile-form.tsx'
import { ProfileSection } from './profile-section.tsx'

/** The developer's own profile: name, address, password, mails, sessions, deletion. */
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
        <NameSection developer={developer} />
        <EmailSection developer={developer} />
        <PasswordSection />
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
          <DeleteAccount email={developer.email} />
        </ProfileSection>
      </Stack>
    </Page>
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
            You sign in with <bdi>{email}</bdi>. We'll email a link to confirm the new address.
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
      lead={`${newPasswordRules} Your other sessions end when it changes.`}
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

function SessionsSection() {
  const signOut = useSignOutEverywhere()
  return (
    <ProfileSection
      title="Sessions"
      lead="Sign out of every browser, this one too. API keys keep working."
    >
      <Stack gap="md" align="flex-start">
        <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
          Sign out everywhere
        </Button>
        <ProblemAlert error={signOut.error} />
      </Stack>
    </ProfileSection>
  )
}
