import { Alert, Button, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { usePortalFacts } from '../../api/catalogue.ts'
import { isProblem } from '../../api/client.ts'
import { useSignUp } from '../../api/session.ts'
import { fieldErrors, formError } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Page } from '../../layout/page.tsx'
import { MailSent } from './mail-sent.tsx'

/** Asks for an account; what follows is the same for an address that has one. */
export function SignUpPage() {
  const facts = usePortalFacts()
  const signUp = useSignUp()
  if (signUp.isSuccess) {
    return (
      <Page title="Check your mail" width="narrow">
        <MailSent>
          A mail is on its way to <bdi>{signUp.variables.email}</bdi>. Open its link to set your
          password.
        </MailSent>
      </Page>
    )
  }
  if (facts.data?.signUp === 'off' || isProblem(signUp.error, 'SIGN_UP_CLOSED')) {
    return (
      <Page title="Sign up" width="narrow">
        <Alert color="amber" title="New accounts are not accepted at the moment">
          Ask the operator of this gateway, or try again later.
        </Alert>
        <Known />
      </Page>
    )
  }
  return (
    <Page
      title="Sign up"
      lead="A mail with a link comes to your address; there you set your password."
      width="narrow"
    >
      {facts.data?.signUp === 'approval' ? (
        <Alert color="tide" title="An operator approves each new account">
          After you have set your password, a mail tells you as soon as you can sign in.
        </Alert>
      ) : null}
      <SignUpForm signUp={signUp} />
      <Known />
    </Page>
  )
}

function SignUpForm({ signUp }: { readonly signUp: ReturnType<typeof useSignUp> }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [isTried, setIsTried] = useState(false)
  const faults = fieldErrors(signUp.error, ['email', 'name'])
  const missing = isTried && (email === '' || name === '')
  return (
    <Form
      error={signUp.error ?? (missing ? 'missing' : null)}
      onSubmit={() => {
        setIsTried(true)
        if (email !== '' && name !== '' && !signUp.isPending) signUp.mutate({ email, name })
      }}
    >
      <TextInput
        label="Email"
        type="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={isTried && email === '' ? 'Must be given.' : faults.email}
        autoComplete="email"
        spellCheck={false}
        maxLength={254}
        required
        withAsterisk={false}
      />
      <TextInput
        label="Name"
        description="Yours or your company's, as you want to be called."
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={isTried && name === '' ? 'Must be given.' : faults.name}
        autoComplete="name"
        maxLength={100}
        required
        withAsterisk={false}
      />
      <ProblemAlert error={formError(signUp.error, ['email', 'name'])} />
      <Button type="submit" loading={signUp.isPending}>
        Sign up
      </Button>
    </Form>
  )
}

function Known() {
  return (
    <Text>
      You have an account? <TextLink href={pagePaths.signIn}>Sign in</TextLink>
    </Text>
  )
}
