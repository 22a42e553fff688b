import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { IssuedKey, Key } from '../../../gateway/portal/schemas/applications.ts'
import { useKeyRotation } from '../../api/applications.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Time } from '../../components/time.tsx'

const overlaps = [
  { seconds: 0, label: 'It stops now' },
  { seconds: 3_600, label: 'It works for 1 hour more' },
  { seconds: 86_400, label: 'It works for 24 hours more' },
  { seconds: 604_800, label: 'It works for 7 days more' },
] as const

export interface RotateKeyProps {
  readonly applicationId: string
  readonly apiKey: Key
  readonly opened: boolean
  readonly onClose: () => void
  readonly onIssued: (key: IssuedKey) => void
}

/** Asks how long the old key works beside the new one, and replaces it. */
export function RotateKey({ applicationId, apiKey, opened, onClose, onIssued }: RotateKeyProps) {
  const [overlapSeconds, setOverlapSeconds] = useState(86_400)
  const [isReplaced, setIsReplaced] = useState(false)
  const rotation = useKeyRotation(applicationId, (issued) => {
    setIsReplaced(true)
    onClose()
    onIssued(issued)
  })
  const close = () => {
    rotation.reset()
    onClose()
  }
  const worksUntil = new Date(Date.now() + overlapSeconds * 1000).toISOString()

  return (
    <Modal
      opened={opened}
      onClose={close}
      title="Rotate key"
      centered
      // The panel of the new key takes the focus.
      returnFocus={!isReplaced}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!rotation.isPending) rotation.mutate({ keyId: apiKey.id, overlapSeconds })
        }}
      >
        <Stack gap="md">
          <Text>
            A new key takes the place of <bdi>{apiKey.name}</bdi>. Counts belong to the application,
            so it starts with what is left.
          </Text>
          <Radio.Group
            label="What happens to the old key"
            value={String(overlapSeconds)}
            onChange={(value) => setOverlapSeconds(Number(value))}
          >
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
          <ProblemAlert error={rotation.error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={rotation.isPending}>
              Rotate key
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
