// This folder has the pages for signing up and in, a forgotten password and the links of emails. `mail-link-page.tsx`
// is the frame of the pages that a link opens, and `use-mail-token.ts` reads its token.

import { Alert, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { SignUp } from '../../../portal/api/schemas/accounts.ts'
import { pagePaths } from '../../../portal/pages/page-paths.ts'
import { useFrontPage, usePortalFacts } from '../../api/catalogue.ts'
import { isProblem } from '../../api/client.ts'
import { useSignUp } from '../../api/session.ts'
import { EmailField } from '../../components/email-field.tsx'
import { Form, filled } from '../../components/form.tsx'
import { Message } from '../../components/message.tsx'
import { pageLink, plainLink } from '../../components/text-link.tsx'
import { useFacts } from '../../facts.tsx'
import { limitInWords } from '../../in-words.ts'
import { Page } from '../../layout/page.tsx'
import { t } from '../../words.ts'
import { MailSent } from './mail-sent.tsx'

/** Signs up; the response is the same for an address that has an account. */
export function SignUpPage() {
  const facts = usePortalFacts()
  const { data: front } = useFrontPage()
  const signUp = useSignUp()
  // For a second try with another address.
  const [sent, setSent] = useState<SignUp>()
  if (signUp.isSuccess) {
    return (
      <MailSent onAgain={() => signUp.reset()}>
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
  const reason =
    front?.limit == null
      ? t('signUp.lead')
      : t('signUp.reason', {
          customers: front.customers ?? 0,
          limit: limitInWords(front.limit),
        })
  return (
    <Page title={t('signUp.title')} lead={reason} width="narrow">
      {facts.data?.signUp === 'approval' ? (
        <Alert color="tide" title={t('signUp.approval')}>
          {t('signUp.approvalMeans')}
        </Alert>
      ) : null}
      <SignUpForm
        initial={sent ?? { email: '', name: '' }}
        signUp={signUp}
        onSubmit={(person) => {
          setSent(person)
          signUp.mutate(person)
        }}
      />
      <Known />
      <OwnData />
    </Page>
  )
}

interface SignUpFormProps {
  readonly initial: SignUp
  readonly signUp: ReturnType<typeof useSignUp>
  readonly onSubmit: (person: SignUp) => void
}

function SignUpForm({ initial, signUp, onSubmit }: SignUpFormProps) {
  const form = useForm({
    initialValues: initial,
    validate: {
      email: filled(t('account.enterEmail')),
      name: filled(t('account.enterName')),
    },
  })
  return (
    <Form form={form} mutation={signUp} onSubmit={onSubmit} action={t('signUp.title')}>
      <EmailField {...form.getInputProps('email')} autoComplete="email" />
      <TextInput
        label={t('account.name')}
        description={t('signUp.whoseName')}
        {...form.getInputProps('name')}
        autoComplete="name"
        maxLength={100}
        required
      />
    </Form>
  )
}

function Known() {
  return (
    <Text>
      <Message id="signUp.known" tags={{ link: pageLink(pagePaths.signIn) }} />
    </Text>
  )
}

/** What becomes of name and address: true of every portal, and the bank's own words where it has some. */
function OwnData() {
  const { terms, privacy } = useFacts().brand
  return (
    <Text c="dimmed" size="sm">
      {t('signUp.ownData')}{' '}
      {terms === null ? null : (
        <>
          <Message
            id="signUp.terms"
            tags={{ link: plainLink(terms.url, { inherit: true }) }}
          />{' '}
        </>
      )}
      {privacy === null ? null : (
        <Message id="signUp.privacy" tags={{ link: plainLink(privacy, { inherit: true }) }} />
      )}
    </Text>
  )
}
