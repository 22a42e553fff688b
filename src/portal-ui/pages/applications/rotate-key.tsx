import { Radio, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { IssuedKey, Key } from '../../../gateway/portal/schemas/applications.ts'
import { useKeyRotation } from '../../api/applications.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Time } from '../../components/time.tsx'

const overlaps = [
  { seconds: 0, label: 'Stop it now' },
  { seconds: 3_600, label: 'Keep it working for 1 hour' },
  { seconds: 86_400, label: 'Keep it working for 24 hours' },
  { seconds: 604_800, label: 'Keep it working for 7 days' },
] as const

export interface RotateKeyProps {
  readonly applicationId: string
  readonly apiKey: Key
  readonly opened: boolean
  readonly onClose: () => void
  readonly onIssued: (key: IssuedKey) => void
}

/** Replaces a key; asks how long the old key keeps working. */
export function RotateKey({ applicationId, apiKey, opened, onClose, onIssued }: RotateKeyProps) {
  const form = useForm({ initialValues: { overlapSeconds: '86400' } })
  const overlapSeconds = Number(form.values.overlapSeconds)
  const [isReplaced, setIsReplaced] = useState(false)
  const rotation = useKeyRotation(applicationId, (issued) => {
    setIsReplaced(true)
    onClose()
    onIssued(issued)
  })
  const worksUntil = new Date(Date.now() + overlapSeconds * 1000).toISOString()

  return (
    <FormDialog
      opened={opened}
      title="Rotate key"
      // The panel of the new key takes the focus.
      returnFocus={!isReplaced}
      form={form}
      mutation={rotation}
      onSubmit={() => rotation.mutate({ keyId: apiKey.id, overlapSeconds })}
      onCancel={() => {
        rotation.reset()
        onClose()
      }}
      action="Rotate key"
    >
      <Text>
        A new key replaces <bdi>{apiKey.name}</bdi>. Limits count for the application, so both keys
        share the calls that are left.
      </Text>
      <Radio.Group label="What happens to the old key" {...form.getInputProps('overlapSeconds')}>
        <Stack gap="xs" mt="xs">
          {overlaps.map(({ seconds, label }) => (
            <Radio key={seconds} value={String(seconds)} label={label} />
          ))}
        </Stack>
      </Radio.Group>
      <Text size="sm" c="dimmed" role="status">
        {overlapSeconds === 0 ? (
          'Calls with the old key are refused within a second.'
        ) : (
          <>
            Both keys work until <Time at={worksUntil} />.
          </>
        )}
      </Text>
    </FormDialog>
  )
}
