import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect } from 'react'
import { useAddressesOfKey } from '../../../api/applications.ts'
import { entriesOf } from '../../../components/entries.ts'
import { EntriesArea } from '../../../components/entries-area.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { Message } from '../../../components/message.tsx'
import { t } from '../../../words.ts'
import type { KeyDialogProps } from './key-dialog-props.ts'

/** Chooses the addresses from which a key may be used. */
export function AllowedAddresses(props: KeyDialogProps) {
  const { applicationId, apiKey, opened, onClose } = props
  const form = useForm({ initialValues: { allowedAddresses: '' } })
  const change = useAddressesOfKey(applicationId, onClose)
  // biome-ignore lint/correctness/useExhaustiveDependencies: an open dialog keeps what was typed
  useEffect(() => {
    if (!opened) return
    form.setValues({ allowedAddresses: apiKey.allowedAddresses.join('\n') })
    form.clearErrors()
    change.reset()
  }, [opened])
  return (
    <FormDialog
      opened={opened}
      title={t('keys.addresses')}
      form={form}
      mutation={change}
      onSubmit={(values) =>
        change.mutate({ keyId: apiKey.id, allowedAddresses: entriesOf(values.allowedAddresses) })
      }
      onCancel={onClose}
      action={t('keys.saveAddresses')}
    >
      <Text>
        <Message id="keys.addressesMean" values={{ name: <bdi>{apiKey.name}</bdi> }} />
      </Text>
      <EntriesArea
        label={t('keys.addressList')}
        description={t('keys.addressHelp')}
        {...form.getInputProps('allowedAddresses')}
        minRows={3}
        maxRows={12}
        data-autofocus
      />
    </FormDialog>
  )
}
