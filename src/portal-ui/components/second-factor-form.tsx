import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { FactorAnswer, FactorChallenge } from '../../portal/api/schemas/factors.ts'
import { isProblem } from '../api/client.ts'
import { signWithPasskey, supportsPasskeys } from '../api/passkeys.ts'
import { t } from '../words.ts'
import { CodeField } from './code-field.tsx'
import { Form, type FormProps, filled } from './form.tsx'
import { ProblemAlert } from './problem-alert.tsx'

export interface SecondFactorFormProps {
  /** What the portal wants answered; it has a token. */
  readonly challenge: FactorChallenge
  readonly mutation: FormProps<{ code: string }>['mutation'] & {
    mutate(answer: FactorAnswer): void
  }
  /** Label of the button: "Sign in". */
  readonly action: string
  /** Returns to the beginning, for example when the challenge has expired. */
  readonly onRestart: () => void
  /** Whether the field for a code takes the focus, as in a dialog. */
  readonly takesFocus?: boolean
}

type Typed = 'totp' | 'recovery-code'

/** Asks for a second factor: a passkey, a code of an app, or a recovery code. */
export function SecondFactorForm(props: SecondFactorFormProps) {
  const { challenge, mutation, action, onRestart, takesFocus = false } = props
  const { methods, passkey } = challenge
  const canSign = passkey !== null && supportsPasskeys()
  const typeable = (['totp', 'recovery-code'] as const).filter((name) => methods.includes(name))
  const [chosen, setChosen] = useState<Typed>()
  // With a passkey, a recovery code is only the way out, so it is not prominent.
  const shown = chosen ?? (canSign && !methods.includes('totp') ? undefined : typeable[0])
  const other = typeable.find((name) => name !== shown)
  if (isProblem(mutation.error, 'CHALLENGE_EXPIRED')) {
    return <ProblemAlert error={mutation.error} onRetry={onRestart} />
  }
  return (
    <Stack gap="lg">
      {canSign ? <PasskeyButton {...props} isOnly={shown === undefined} /> : null}
      {shown === undefined ? null : (
        <CodeForm
          key={shown}
          kind={shown}
          challenge={challenge}
          mutation={mutation}
          action={action}
          takesFocus={takesFocus || chosen !== undefined}
        />
      )}
      {shown === undefined && !canSign ? <Text>{t('factor.passkeyUnusable')}</Text> : null}
      {other === undefined ? null : (
        <Anchor
          component="button"
          type="button"
          ta="start"
          underline="always"
          onClick={() => {
            mutation.reset()
            setChosen(other)
          }}
        >
          {t(other === 'totp' ? 'factor.useApp' : 'factor.useRecovery')}
        </Anchor>
      )}
    </Stack>
  )
}

function PasskeyButton({
  challenge: { token, passkey },
  mutation,
  isOnly,
}: SecondFactorFormProps & { readonly isOnly: boolean }) {
  const signing = useMutation({
    mutationFn: () => signWithPasskey(passkey ?? {}),
    onMutate: () => mutation.reset(),
    onSuccess: (signed) => mutation.mutate({ token: token ?? '', passkey: signed }),
  })
  return (
    <Stack gap="md" align="flex-start">
      <Button
        variant={isOnly ? 'filled' : 'default'}
        loading={signing.isPending || (isOnly && mutation.isPending)}
        onClick={() => signing.mutate()}
      >
        {t('factor.usePasskey')}
      </Button>
      {/* Below a field for a code, its form shows what the portal answers. */}
      <ProblemAlert error={signing.error ?? (isOnly ? mutation.error : null)} />
    </Stack>
  )
}

interface CodeFormProps extends Omit<SecondFactorFormProps, 'onRestart'> {
  readonly kind: Typed
}

function CodeForm({ kind, challenge: { token }, mutation, action, takesFocus }: CodeFormProps) {
  const ref = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (takesFocus === true) ref.current?.focus()
  }, [takesFocus])
  const form = useForm({ initialValues: { code: '' }, validate: { code: filled() } })
  const input = form.getInputProps('code')
  return (
    <Form
      form={form}
      mutation={mutation}
      onSubmit={({ code }) => mutation.mutate({ token: token ?? '', code })}
      action={action}
    >
      {kind === 'totp' ? (
        <CodeField {...input} ref={ref} />
      ) : (
        <TextInput
          label={t('factor.recoveryCode')}
          description={t('factor.recoveryCodeHelp')}
          {...input}
          ref={ref}
          autoComplete="off"
          spellCheck={false}
          maxLength={40}
          required
          dir="ltr"
        />
      )}
    </Form>
  )
}
