import { useForm } from '@mantine/form'
import { pagePaths } from '../../../portal/pages/page-paths.ts'
import { usePasswordReset } from '../../api/session.ts'
import { EmailField } from '../../components/email-field.tsx'
import { Form, filled } from '../../components/form.tsx'
import { Message } from '../../components/message.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Page } from '../../layout/page.tsx'
import { t } from '../../words.ts'
import { MailSent } from './mail-sent.tsx'

/** Sends a link to set a new password; the response is the same for an unknown address. */
export function ResetPage() {
  const reset = usePasswordReset()
  const form = useForm({
    initialValues: { email: '' },
    validate: { email: filled(t('account.enterEmail')) },
  })
  if (reset.isSuccess) {
    return (
      <MailSent onAgain={() => reset.reset()}>
        <Message id="reset.sent" values={{ email: <bdi>{reset.variables.email}</bdi> }} />
      </MailSent>
    )
  }
  return (
    <Page title={t('reset.title')} lead={t('reset.lead')} width="narrow">
      <Form
        form={form}
        mutation={reset}
        onSubmit={(values) => reset.mutate(values)}
        action={t('reset.action')}
      >
        <EmailField {...form.getInputProps('email')} autoComplete="username" />
      </Form>
      <TextLink href={pagePaths.signIn}>{t('reset.back')}</TextLink>
    </Page>
  )
}
