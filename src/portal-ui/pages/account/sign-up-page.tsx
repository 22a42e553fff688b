import { Alert, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { usePortalFacts } from '../../api/catalogue.ts'
import { isProblem } from '../../api/client.ts'
import { useSignUp } from '../../api/session.ts'
import { Form, filled } from '../../components/form.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Page } from '../../layout/page.tsx'
import { MailSent } from './mail-sent.tsx'

/** Signs up; the response is the same for an address that has an account. */
export function SignUpPage() {
  const facts = usePortalFacts()
  const signUp = useSignUp()
  if (signUp.isSuccess) {
    return (
      <MailSent>
        We sent an email to <bdi>{signUp.variables.email}</bdi>. Open the link in it to choose your
        password.
      </MailSent>
    )
  }
  if (facts.data?.signUp === 'off' || isProblem(signUp.error, 'SIGN_UP_CLOSED')) {
    return (
      <Page title="Sign up" width="narrow">
        <Alert color="amber" title="Sign-up is closed">
          This portal does not accept new accounts at the moment.
        </Alert>
        <Known />
      </Page>
    )
  }
  return (
    <Page title="Sign up" lead="We email you a link to choose your password." width="narrow">
      {facts.data?.signUp === 'approval' ? (
        <Alert color="tide" title="An operator approves each new account">
          Choose your password first. We will email you when you can sign in.
        </Alert>
      ) : null}
      <SignUpForm signUp={signUp} />
      <Known />
    </Page>
  )
}

function SignUpForm({ signUp }: { readonly signUp: ReturnType<typeof useSignUp> }) {
  const form = useForm({
    initialValues: { email: '', name: '' },
    validate: { email: filled('Enter your email.'), name: filled('Enter a name.') },
  })
  return (
    <Form
      form={form}
      mutation={signUp}
      onSubmit={(values) => signUp.mutate(values)}
      action="Sign up"
    >
      <TextInput
        label="Email"
        type="email"
        {...form.getInputProps('email')}
        autoComplete="email"
        spellCheck={false}
        maxLength={254}
        required
        withAsterisk={false}
      />
      <TextInput
        label="Name"
        description="Your own or your company's."
        {...form.getInputProps('name')}
        autoComplete="name"
        maxLength={100}
        required
        withAsterisk={false}
      />
    </Form>
  )
}

function Known() {
  return (
    <Text>
      Already have an account? <TextLink href={pagePaths.signIn}>Sign in</TextLink>
    </Text>
  )
}
