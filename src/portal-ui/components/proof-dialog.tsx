import { Button, Modal, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useCallback, useEffect, useRef } from 'react'
import { useProof, useProofChallenge } from '../api/factors.ts'
import { useDeveloper, useProviderProof } from '../api/session.ts'
import { useFacts } from '../facts.tsx'
import { t } from '../words.ts'
import { Form, filled } from './form.tsx'
import { PasswordField } from './password-field.tsx'
import { ProblemAlert } from './problem-alert.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'
import { Slow } from './slow.tsx'

export interface ProofDialogProps {
  /** Called once: with true when the portal took the proof, with false when the developer declines. */
  readonly onSettled: (isProven: boolean) => void
}

/** Asks who is at the keyboard when a change needs a proof; the change then continues automatically. */
export function ProofDialog({ onSettled }: ProofDialogProps) {
  return (
    <Modal opened onClose={() => onSettled(false)} title={t('proof.title')} zIndex={300}>
      <Question onProven={() => onSettled(true)} />
    </Modal>
  )
}

function Question({ onProven }: { readonly onProven: () => void }) {
  const { data: challenge, error, mutate } = useProofChallenge()
  const proof = useProof()
  const restart = useCallback(() => mutate(), [mutate])
  useEffect(restart, [restart])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the proof is taken once
  useEffect(() => {
    if (proof.isSuccess) onProven()
  }, [proof.isSuccess])
  if (error !== null) return <ProblemAlert error={error} onRetry={restart} />
  if (challenge === undefined) return <Slow />
  return (
    <Stack gap="md">
      <Text>{t('proof.why')}</Text>
      {challenge.methods.includes('provider') ? (
        <ProviderQuestion />
      ) : challenge.token === null ? (
        <PasswordQuestion proof={proof} />
      ) : (
        <SecondFactorForm
          key={challenge.token}
          challenge={challenge}
          mutation={proof}
          action={t('common.confirm')}
          takesFocus
          onRestart={() => {
            proof.reset()
            restart()
          }}
        />
      )}
    </Stack>
  )
}

/** Leaves the page, which opens again afterwards. */
function ProviderQuestion() {
  const { signInProvider } = useFacts()
  const proof = useProviderProof()
  const { pathname, search } = window.location
  return (
    <>
      <Text>{t('proof.provider')}</Text>
      <Button
        data-autofocus
        loading={proof.isPending || proof.isSuccess}
        onClick={() => proof.mutate({ next: `${pathname}${search}` })}
      >
        {t('proof.providerAction', { name: signInProvider ?? '' })}
      </Button>
      <ProblemAlert error={proof.error} />
    </>
  )
}

function PasswordQuestion({ proof }: { readonly proof: ReturnType<typeof useProof> }) {
  const { email } = useDeveloper()
  const ref = useRef<HTMLInputElement>(null)
  useEffect(() => ref.current?.focus(), [])
  const form = useForm({
    initialValues: { currentPassword: '' },
    validate: { currentPassword: filled(t('proof.enterPassword')) },
  })
  return (
    <Form
      form={form}
      mutation={proof}
      onSubmit={({ currentPassword }) => proof.mutate({ password: currentPassword })}
      action={t('common.confirm')}
    >
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label={t('password.label')}
        {...form.getInputProps('currentPassword')}
        ref={ref}
        autoComplete="current-password"
        maxLength={256}
      />
    </Form>
  )
}
