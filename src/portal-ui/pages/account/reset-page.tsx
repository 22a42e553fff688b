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

/** Asks for a link to set a new password; what follows is the same for an unknown address. */
export function ResetPage() {
  const reset = usePasswordReset()
  const [email, setEmail] = useState('')
  const [isTried, setIsTried] = useState(false)
  if (reset.isSuccess) {
    return (
      <Page title="Check your mail" width="narrow">
        <MailSent>
          If there is an account for <bdi>{reset.variables.email}</bdi>, a mail is on its way. Open
          its link to set a new password.
        </MailSent>
      </Page>
    )
  }
  const isMissing = isTried && email === ''
  return (
    <Page
      title="Reset your password"
      lead="A mail with a link comes to your address; there you set a new one."
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
          error={isMissing ? 'Must be given.' : fieldErrors(reset.error, ['email']).email}
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
      <TextLink href={pagePaths.signIn}>Back to the sign-in</TextLink>
    </Page>
  )
}
