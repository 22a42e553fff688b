import { Button, Divider, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Redirect, useSearchParams } from 'wouter'
import type { FactorChallenge } from '../../../portal/api/schemas/factors.ts'
import { pagePaths } from '../../../portal/pages/page-paths.ts'
import { usePortalFacts } from '../../api/catalogue.ts'
import { useProviderSignIn, useSecondFactor, useSession, useSignIn } from '../../api/session.ts'
import { EmailField } from '../../components/email-field.tsx'
import { Form, filled } from '../../components/form.tsx'
import { Message } from '../../components/message.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { SecondFactorForm } from '../../components/second-factor-form.tsx'
import { pageLink, TextLink } from '../../components/text-link.tsx'
import { useFacts } from '../../facts.tsx'
import { Page } from '../../layout/page.tsx'
import { localPath } from '../../local-path.ts'
import { t } from '../../words.ts'

/** Signs in, with a second factor if the account has one, then opens the requested page. */
export function SignInPage() {
  const { data: session } = useSession()
  const facts = usePortalFacts()
  const [search] = useSearchParams()
  const next = localPath(search.get('next'))
  const signIn = useSignIn()
  if (session !== null && session !== undefined) {
    return <Redirect to={next ?? pagePaths.applications} replace />
  }
  if (signIn.data !== undefined && 'methods' in signIn.data) {
    return <SecondFactorPage challenge={signIn.data} onRestart={signIn.reset} />
  }
  return (
    <Page title={t('account.signIn')} width="narrow">
      <ProviderSignIn next={next} />
      <SignInForm signIn={signIn} />
      {facts.data?.signUp === 'off' ? null : (
        <Text>
          <Message id="signIn.noAccount" tags={{ link: pageLink(pagePaths.signUp) }} />
        </Text>
      )}
    </Page>
  )
}

/** The way through the bank's own provider, if there is one; the form below it is the other way. */
function ProviderSignIn({ next }: { readonly next: string | undefined }) {
  const { signInProvider } = useFacts()
  const start = useProviderSignIn()
  if (signInProvider === null) return null
  return (
    <Stack gap="md">
      <Group>
        <Button
          variant="default"
          loading={start.isPending || start.isSuccess}
          onClick={() => start.mutate(next === undefined ? {} : { next })}
        >
          {t('signIn.with', { provider: signInProvider })}
        </Button>
      </Group>
      <ProblemAlert error={start.error} />
      <Divider label={t('signIn.orPassword')} />
    </Stack>
  )
}

interface SecondFactorPageProps {
  readonly challenge: FactorChallenge
  readonly onRestart: () => void
}

function SecondFactorPage({ challenge, onRestart }: SecondFactorPageProps) {
  const secondFactor = useSecondFactor()
  return (
    <Page title={t('factors.title')} lead={t('signIn.oneMore')} width="narrow" isNew>
      <SecondFactorForm
        challenge={challenge}
        mutation={secondFactor}
        action={t('account.signIn')}
        onRestart={onRestart}
      />
    </Page>
  )
}

function SignInForm({ signIn }: { readonly signIn: ReturnType<typeof useSignIn> }) {
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: filled(t('account.enterEmail')),
      password: filled(t('account.enterPassword')),
    },
  })
  return (
    <Form
      form={form}
      mutation={signIn}
      onSubmit={(values) => signIn.mutate(values)}
      action={t('account.signIn')}
      beside={
        <TextLink href={pagePaths.reset} ms="auto">
          {t('signIn.forgot')}
        </TextLink>
      }
    >
      <EmailField {...form.getInputProps('email')} autoComplete="username" />
      <PasswordField
        label={t('account.password')}
        {...form.getInputProps('password')}
        autoComplete="current-password"
        maxLength={256}
      />
    </Form>
  )
}
