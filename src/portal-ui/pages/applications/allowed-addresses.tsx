import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect } from 'react'
import type { Key } from '../../../gateway/portal/schemas/applications.ts'
import { useAddressesOfKey } from '../../api/applications.ts'
import { entriesOf } from '../../components/entries.ts'
import { EntriesArea } from '../../components/entries-area.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'

export interface AllowedAddressesProps {
  readonly applicationId: string
  readonly apiKey: Key
  readonly opened: boolean
  readonly onClose: () => void
}

/** Chooses the addresses from which a key may be used. */
export function AllowedAddresses(props: AllowedAddressesProps) {
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
      title="Allowed addresses"
      form={form}
      mutation={change}
      onSubmit={(values) =>
        change.mutate({ keyId: apiKey.id, allowedAddresses: entriesOf(values.allowedAddresses) })
      }
      onCancel={onClose}
      action="Save addresses"
    >
      <Text>
        The gateway accepts <bdi>{apiKey.name}</bdi> only from these addresses and refuses other
        calls with 403. A change applies within a second. If the list is empty, the key works from
        everywhere.
      </Text>
      <EntriesArea
        label="Addresses"
        description="IP addresses or ranges, one on each line, at most 20: 192.0.2.7 or 2001:db8::/32."
        {...form.getInputProps('allowedAddresses')}
        minRows={3}
        maxRows={12}
        data-autofocus
      />
    </FormDialog>
  )
}
