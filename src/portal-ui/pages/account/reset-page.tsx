import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { usePasswordReset } from '../../api/session.ts'
import { fieldErrors, formError } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Page } from '../../layout/page.tsx'
import { MailSent } from './mail-sent.tsx'

/** Sends a link to set a new password; the response is the same for an unknown address. */
export function ResetPage() {
  const reset = usePasswordReset()
  const [email, setEmail] = useState('')
  const [isTried, setIsTried] = useState(false)
  if (reset.isSuccess) {
    return (
      <MailSent>
        If <bdi>{reset.variables.email}</bdi> has an account, we wrote to it. Open the link in the
        email to choose a new password.
      </MailSent>
    )
  }
  const isMissing = isTried && email === ''
  return (
    <Page
      title="Reset your password"
      lead="We email you a link to choose a new password."
      width="narrow"
    >
      <Form
        error={reset.error ?? (isMissing ? 'missing' : null)}
        onSubmit={() => {
          setIsTried(true)
          if (email !== '' && !reset.isPending) reset.mutate({ email })
        }}
      >
        <TextInput
          label="Email"
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={isMissing ? 'Enter your email.' : fieldErrors(reset.error, ['email']).email}
          autoComplete="username"
          spellCheck={false}
          maxLength={254}
          required
          withAsterisk={false}
        />
        <ProblemAlert error={formError(reset.error, ['email'])} />
        <Button type="submit" loading={reset.isPending}>
          Send the link
        </Button>
      </Form>
      <TextLink href={pagePaths.signIn}>Back to sign-in</TextLink>
    </Page>
  )
}
