import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { usePasskeyCreation } from '../../api/factors.ts'
import { filled } from '../../components/form.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { t } from '../../words.ts'

export interface AddPasskeyProps {
  readonly opened: boolean
  /** Called with new recovery codes, or none. */
  readonly onAdded: (codes: readonly string[]) => void
  readonly onCancel: () => void
}

/** Adds a passkey: asks for a name, then the browser asks for the device or the key. */
export function AddPasskey({ opened, onAdded, onCancel }: AddPasskeyProps) {
  const creation = usePasskeyCreation()
  const form = useForm({ initialValues: { name: '' }, validate: { name: filled() } })
  return (
    <FormDialog
      opened={opened}
      title={t('factors.addPasskey')}
      form={form}
      mutation={creation}
      onSubmit={({ name }) =>
        creation.mutate(name, {
          onSuccess: ({ recoveryCodes }) => {
            form.reset()
            onAdded(recoveryCodes)
          },
        })
      }
      // A conflict is about the passkey, not about its name.
      errorsOf={() => ({})}
      onCancel={() => {
        creation.reset()
        form.reset()
        onCancel()
      }}
      action={t('factors.continue')}
    >
      <Text>{t('factors.passkeyNext')}</Text>
      <TextInput
        label={t('account.name')}
        description={t('factors.passkeyName')}
        {...form.getInputProps('name')}
        autoComplete="off"
        maxLength={100}
        data-autofocus
        required
      />
    </FormDialog>
  )
}
