import { Radio, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Enrolment } from '../../../portal/api/schemas/factors.ts'
import { pagePaths } from '../../../portal/pages/page-paths.ts'
import { isProblem } from '../../api/client.ts'
import { useEnrolment, useEnrolmentConfirmation } from '../../api/factors.ts'
import { createPasskey, supportsPasskeys } from '../../api/passkeys.ts'
import { sessionKey } from '../../api/session.ts'
import { CodeField } from '../../components/code-field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form, filled } from '../../components/form.tsx'
import { Message } from '../../components/message.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { newPasswordRules, PasswordLength } from '../../components/password-length.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { RecoveryCodeList } from '../../components/recovery-code-list.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { TotpSetup } from '../../components/totp-setup.tsx'
import { Page } from '../../layout/page.tsx'
import { t } from '../../words.ts'
import { UnusableLink } from './unusable-link.tsx'
import { useMailToken } from './use-mail-token.ts'

/** The link that `operator add` prints opens this page: an operator adds the first second factor. */
export function EnrolPage() {
  const token = useMailToken()
  return token === undefined ? <NoLink isUsed={false} /> : <EnrolmentOf token={token} />
}

function EnrolmentOf({ token }: { readonly token: string }) {
  const enrolment = useEnrolment(token)
  const [codes, setCodes] = useState<readonly string[]>()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  if (codes !== undefined) {
    return (
      <Page title={t('enrol.storeCodes')} width="narrow" isNew>
        <RecoveryCodeList
          codes={codes}
          action={t('factors.stored')}
          onDone={() => {
            void client
              .refetchQueries({ queryKey: sessionKey })
              .then(() => navigate(pagePaths.operator))
          }}
        />
      </Page>
    )
  }
  if (isProblem(enrolment.error, 'LINK_INVALID')) return <NoLink isUsed />
  return (
    <Page title={t('enrol.title')} lead={t('enrol.lead')} width="narrow">
      <QueryState query={enrolment} />
      {enrolment.data === undefined ? null : (
        <EnrolmentForm
          token={token}
          enrolment={enrolment.data}
          onEnrolled={setCodes}
          onExpired={() => void enrolment.refetch()}
        />
      )}
    </Page>
  )
}

function NoLink({ isUsed }: { readonly isUsed: boolean }) {
  return (
    <UnusableLink
      title={t('enrol.title')}
      isUsed={isUsed}
      another={{ href: pagePaths.signIn, label: t('account.toSignIn') }}
    >
      {isUsed ? t('enrol.linkUsed') : t('enrol.linkCut')}
    </UnusableLink>
  )
}

interface EnrolmentFormProps {
  readonly token: string
  readonly enrolment: Enrolment
  readonly onEnrolled: (codes: readonly string[]) => void
  /** The secret on the page is no longer valid. */
  readonly onExpired: () => void
}

type Kind = 'totp' | 'passkey'

function EnrolmentForm({ token, enrolment, onEnrolled, onExpired }: EnrolmentFormProps) {
  const { email, hasPassword, challenge, passkey: options } = enrolment
  const canUsePasskey = options !== null && supportsPasskeys()
  const [kind, setKind] = useState<Kind>('totp')
  const confirmation = useEnrolmentConfirmation()
  const form = useForm({
    initialValues: { password: '', code: '' },
    validate: {
      password: filled(t('account.enterPassword')),
      code: (code) => (kind === 'totp' && code === '' ? t('form.fillIn') : null),
    },
  })
  const enrolling = useMutation({
    mutationFn: async ({ password, code }: { password: string; code: string }) => {
      const answer = kind === 'totp' ? { code } : { passkey: await createPasskey(options ?? {}) }
      return confirmation.mutateAsync({ token, challenge, password, ...answer })
    },
    onSuccess: ({ recoveryCodes }) => onEnrolled(recoveryCodes),
    onError: (error) => {
      if (isProblem(error, 'CHALLENGE_EXPIRED')) onExpired()
    },
  })
  return (
    <Form
      form={form}
      mutation={enrolling}
      onSubmit={(values) => enrolling.mutate(values)}
      errorsOf={(error) =>
        isProblem(error, 'CREDENTIALS_INVALID')
          ? { password: t('account.notYourPassword') }
          : fieldErrors(error, kind === 'totp' ? ['password', 'code'] : ['password'])
      }
      action={t(kind === 'totp' ? 'enrol.finish' : 'enrol.createPasskey')}
    >
      <Text>
        <Message id="enrol.account" values={{ email: <bdi>{email}</bdi> }} />
      </Text>
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label={t(hasPassword ? 'account.password' : 'account.newPassword')}
        description={hasPassword ? undefined : newPasswordRules()}
        {...form.getInputProps('password')}
        autoComplete={hasPassword ? 'current-password' : 'new-password'}
        maxLength={256}
      />
      {hasPassword || form.errors['password'] !== undefined ? null : (
        <PasswordLength password={form.values.password} />
      )}
      {hasPassword ? (
        <TextLink href={pagePaths.reset} size="sm">
          {t('enrol.forgot')}
        </TextLink>
      ) : null}
      {canUsePasskey ? (
        <Radio.Group
          label={t('factors.title')}
          value={kind}
          onChange={(value) => {
            enrolling.reset()
            setKind(value === 'passkey' ? 'passkey' : 'totp')
          }}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="totp" label={t('enrol.totp')} />
            <Radio value="passkey" label={t('enrol.passkey')} />
          </Stack>
        </Radio.Group>
      ) : null}
      {kind === 'totp' ? (
        <>
          <TotpSetup secret={enrolment.secret} uri={enrolment.uri} />
          <CodeField {...form.getInputProps('code')} />
        </>
      ) : null}
    </Form>
  )
}
