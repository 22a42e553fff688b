import { useForm } from '@mantine/form'
import { useEffect } from 'react'
import type { TotpOffer } from '../../../portal/api/schemas/factors.ts'
import { useTotpConfirmation, useTotpOffer } from '../../api/factors.ts'
import { CodeField } from '../../components/code-field.tsx'
import { Form, filled } from '../../components/form.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Slow } from '../../components/slow.tsx'
import { TotpSetup } from '../../components/totp-setup.tsx'
import { t } from '../../words.ts'

export interface AddAppProps {
  /** Called with new recovery codes, or none. */
  readonly onAdded: (codes: readonly string[]) => void
  readonly onCancel: () => void
}

/** Adds an authenticator app: shows a new secret and asks for its code. */
export function AddApp(props: AddAppProps) {
  const { data: offer, error, mutate } = useTotpOffer()
  useEffect(() => mutate(), [mutate])
  if (error !== null) return <ProblemAlert error={error} onRetry={() => mutate()} />
  if (offer === undefined) return <Slow />
  return <Confirmation offer={offer} {...props} />
}

function Confirmation({ offer, onAdded, onCancel }: AddAppProps & { readonly offer: TotpOffer }) {
  const confirmation = useTotpConfirmation()
  const form = useForm({ initialValues: { code: '' }, validate: { code: filled() } })
  return (
    <Form
      form={form}
      mutation={confirmation}
      onSubmit={({ code }) =>
        confirmation.mutate(
          { token: offer.token, code },
          { onSuccess: ({ recoveryCodes }) => onAdded(recoveryCodes) },
        )
      }
      action={t('factors.addAppAction')}
      onCancel={onCancel}
      isDialog
    >
      <TotpSetup {...offer} />
      <CodeField {...form.getInputProps('code')} data-autofocus />
    </Form>
  )
}
