import { Radio, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { IssuedKey } from '../../../../portal/api/schemas/applications.ts'
import { useKeyRotation } from '../../../api/applications.ts'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { Message } from '../../../components/message.tsx'
import { Time } from '../../../components/time.tsx'
import { t } from '../../../words.ts'
import type { KeyDialogProps } from './key-dialog-props.ts'

const overlaps = [
  { seconds: 0, label: 'rotate.stop' },
  { seconds: 3_600, label: 'rotate.keepHour' },
  { seconds: 86_400, label: 'rotate.keepDay' },
  { seconds: 604_800, label: 'rotate.keepWeek' },
] as const

export interface RotateKeyProps extends KeyDialogProps {
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
      title={t('rotate.title')}
      // The panel of the new key takes the focus.
      returnFocus={!isReplaced}
      form={form}
      mutation={rotation}
      onSubmit={() => rotation.mutate({ keyId: apiKey.id, overlapSeconds })}
      onCancel={() => {
        rotation.reset()
        onClose()
      }}
      action={t('rotate.title')}
    >
      <Text>
        <Message id="rotate.means" values={{ name: <bdi>{apiKey.name}</bdi> }} />
      </Text>
      <Radio.Group label={t('rotate.oldKey')} {...form.getInputProps('overlapSeconds')}>
        <Stack gap="xs" mt="xs">
          {overlaps.map(({ seconds, label }) => (
            <Radio key={seconds} value={String(seconds)} label={t(label)} />
          ))}
        </Stack>
      </Radio.Group>
      <Text size="sm" c="dimmed" role="status">
        {overlapSeconds === 0 ? (
          t('rotate.stopped')
        ) : (
          <Message id="rotate.bothWork" values={{ time: <Time at={worksUntil} /> }} />
        )}
      </Text>
    </FormDialog>
  )
}
