import { Button, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Redirect, useSearchParams } from 'wouter'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { usePortalFacts } from '../../api/catalogue.ts'
import { useSession, useSignIn } from '../../api/session.ts'
import { Form } from '../../components/form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
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
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [isTried, setIsTried] = useState(false)
  const missing = isTried && (email === '' || password === '')
  return (
    <Form
      error={missing ? 'missing' : null}
      onSubmit={() => {
        setIsTried(true)
        if (email !== '' && password !== '' && !signIn.isPending) signIn.mutate({ email, password })
      }}
    >
      <TextInput
        label="Email"
        type="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={isTried && email === '' ? 'Enter your email.' : undefined}
        autoComplete="username"
        spellCheck={false}
        maxLength={254}
        required
        withAsterisk={false}
      />
      <PasswordField
        label="Password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={isTried && password === '' ? 'Enter your password.' : undefined}
        autoComplete="current-password"
        maxLength={256}
        required
        withAsterisk={false}
      />
      <ProblemAlert error={signIn.error} />
      <Group justify="space-between" gap="sm">
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
        <TextLink href={pagePaths.reset}>Forgot your password?</TextLink>
      </Group>
    </Form>
  )
}
