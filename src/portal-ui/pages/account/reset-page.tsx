import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { usePasswordReset } from '../../api/session.ts'
import { Form, filled } from '../../components/form.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Page } from '../../layout/page.tsx'
import { MailSent } from './mail-sent.tsx'

/** Sends a link to set a new password; the response is the same for an unknown address. */
export function ResetPage() {
  const reset = usePasswordReset()
  const form = useForm({
    initialValues: { email: '' },
    validate: { email: filled('Enter your email.') },
  })
  if (reset.isSuccess) {
    return (
      <MailSent>
        If <bdi>{reset.variables.email}</bdi> has an account, we sent an email there. Open the link
        in it to choose a new password.
      </MailSent>
    )
  }
  return (
    <Page
      title="Reset your password"
      lead="We email you a link to choose a new password."
      width="narrow"
    >
      <Form
        form={form}
        mutation={reset}
        onSubmit={(values) => reset.mutate(values)}
        action="Send the link"
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
      </Form>
      <TextLink href={pagePaths.signIn}>Back to sign-in</TextLink>
    </Page>
  )
}
