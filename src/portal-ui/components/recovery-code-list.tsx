import { Alert, Button, Group, Stack } from '@mantine/core'
import { CopyLine } from './copy-line.tsx'

export interface RecoveryCodeListProps {
  readonly codes: readonly string[]
  /** Label of the button that leaves: "I have stored them". */
  readonly action: string
  readonly onDone: () => void
}

/** New recovery codes, shown only once. */
export function RecoveryCodeList({ codes, action, onDone }: RecoveryCodeListProps) {
  return (
    <Stack gap="md">
      <Alert color="amber" title="The portal shows these codes only once">
        If you lose your second factor, each code signs you in once. Print the codes, or save them
        in a password manager.
      </Alert>
      <CopyLine text={codes.join('\n')} label="recovery codes" isProminent />
      <Group justify="flex-end">
        <Button onClick={onDone} variant="default">
          {action}
        </Button>
      </Group>
    </Stack>
  )
}
