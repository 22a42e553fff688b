import { Alert, Button, Group, Stack } from '@mantine/core'
import { t } from '../words.ts'
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
      <Alert color="amber" title={t('factor.codesOnce')}>
        {t('factor.codesMean')}
      </Alert>
      <CopyLine text={codes.join('\n')} label={t('factor.codesCopy')} isProminent />
      <Group justify="flex-end">
        <Button onClick={onDone} variant="default">
          {action}
        </Button>
      </Group>
    </Stack>
  )
}
