import { Alert, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import { usePortalFacts } from '../../api/catalogue.ts'
import { isProblem } from '../../api/client.ts'
import { useSignUp } from '../../api/session.ts'
import { Form, filled } from '../../components/form.tsx'
import { Message } from '../../components/message.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Page } from '../../layout/page.tsx'
import { t } from '../../words.ts'
import { MailSent } from './mail-sent.tsx'

/** Signs up; the response is the same for an address that has an account. */
export function SignUpPage() {
  const facts = usePortalFacts()
  const signUp = useSignUp()
  if (signUp.isSuccess) {
    return (
      <MailSent>
        <Message id="signUp.sent" values={{ email: <bdi>{signUp.variables.email}</bdi> }} />
      </MailSent>
    )
  }
  if (facts.data?.signUp === 'off' || isProblem(signUp.error, 'SIGN_UP_CLOSED')) {
    return (
      <Page title={t('signUp.title')} width="narrow">
        <Alert color="amber" title={t('signUp.closed')}>
          {t('signUp.closedMeans')}
        </Alert>
        <Known />
      </Page>
    )
  }
  return (
    <Page title={t('signUp.title')} lead={t('signUp.lead')} width="narrow">
      {facts.data?.signUp === 'approval' ? (
        <Alert color="tide" title={t('signUp.approval')}>
          {t('signUp.approvalMeans')}
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
    validate: {
      email: filled(t('account.enterEmail')),
      name: filled(t('account.enterName')),
    },
  })
  return (
    <Form
      form={form}
      mutation={signUp}
      onSubmit={(person) => signUp.mutate(person)}
      action={t('signUp.title')}
    >
      <TextInput
        label={t('account.email')}
        type="email"
        {...form.getInputProps('email')}
        autoComplete="email"
        spellCheck={false}
        maxLength={254}
        required
        withAsterisk={false}
      />
      <TextInput
        label={t('account.name')}
        description={t('signUp.whoseName')}
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
      <Message
        id="signUp.known"
        tags={{ link: (text) => <TextLink href={pagePaths.signIn}>{text}</TextLink> }}
      />
    </Text>
  )
}
