import { Button, Group, Stack, TextInput, type TextInputProps } from '@mantine/core'
import { endOfQuarter, inDays, usualDays } from '../../local-moment.ts'
import { t } from '../../words.ts'

export interface UntilFieldProps extends TextInputProps {
  /** Called with the local time of a usual period. */
  readonly onPick: (local: string) => void
}

/** The end of a higher limit: a local time, with buttons for usual periods. */
export function UntilField({ onPick, ...field }: UntilFieldProps) {
  const usual = [
    ...[7, usualDays].map((count) => ({ label: t('until.days', { count }), local: inDays(count) })),
    { label: t('until.quarter'), local: endOfQuarter() },
  ]
  return (
    <Stack gap="xs">
      <TextInput
        label={t('plans.until')}
        description={t('overrides.localTime')}
        type="datetime-local"
        required
        {...field}
      />
      <Group gap="xs" role="group" aria-label={t('until.usual')}>
        {usual.map(({ label, local }) => (
          <Button key={label} size="compact-sm" variant="default" onClick={() => onPick(local)}>
            {label}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}
