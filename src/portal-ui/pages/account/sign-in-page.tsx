import { Button, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Redirect, useSearchParams } from 'wouter'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { usePortalFacts } from '../../api/catalogue.ts'
import { useSession, useSignIn } from '../../api/session.ts'
import { Form, filled } from '../../components/form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Page } from '../../layout/page.tsx'
import { localPath } from '../../local-path.ts'

/** Signs in, then opens the requested page. */
export function SignInPage() {
  const { data: session } = useSession()
  const facts = usePortalFacts()
  const [search] = useSearchParams()
  const next = localPath(search.get('next'))
  if (session !== null && session !== undefined) {
    return <Redirect to={next ?? pagePaths.applications} replace />
  }
  return (
    <Page
      title="Sign in"
      lead={next === undefined ? undefined : 'Sign in to see this page.'}
      width="narrow"
    >
      <SignInForm />
      {facts.data?.signUp === 'off' ? null : (
        <Text>
          No account yet? <TextLink href={pagePaths.signUp}>Sign up</TextLink>
        </Text>
      )}
    </Page>
  )
}

function SignInForm() {
  const signIn = useSignIn()
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: { email: filled('Enter your email.'), password: filled('Enter your password.') },
  })
  return (
    <Form
      form={form}
      mutation={signIn}
      onSubmit={(values) => signIn.mutate(values)}
      buttons={
        <Group justify="space-between" gap="sm">
          <Button type="submit" loading={signIn.isPending}>
            Sign in
          </Button>
          <TextLink href={pagePaths.reset}>Forgot your password?</TextLink>
        </Group>
      }
    >
      <TextInput
        label="Email"
        type="email"
        {...form.getInputProps('email')}
        autoComplete="username"
        spellCheck={false}
        maxLength={254}
        required
        withAsterisk={false}
      />
      <PasswordField
        label="Password"
        {...form.getInputProps('password')}
        autoComplete="current-password"
        maxLength={256}
        required
        withAsterisk={false}
      />
    </Form>
  )
}
