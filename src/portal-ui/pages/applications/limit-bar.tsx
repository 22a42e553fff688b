import { Group, Progress, Text } from '@mantine/core'
import type { LiveUsage } from '../../../gateway/portal/schemas/usage.ts'
import type { ReceivedUsage } from '../../api/usage.ts'
import { Time } from '../../components/time.tsx'
import { wholeNumber } from '../../in-words.ts'
import classes from './applications.module.css'
import { Countdown } from './countdown.tsx'

export interface LimitBarProps {
  readonly item: LiveUsage
  readonly name: string
  /** The response that contains it; the countdown follows the counter's clock. */
  readonly usage: ReceivedUsage
}

/** One limit in use: calls used, calls left, and when it resets. */
export function LimitBar({ item, name, usage }: LimitBarProps) {
  const { operation, limitName, limit, used, remaining, resetsAt, overrideUntil } = item
  const share = Math.min(100, (used / Math.max(1, limit)) * 100)
  const words = `${wholeNumber(used)} of ${wholeNumber(limit)} calls used`
  return (
    <li>
      <Group justify="space-between" gap="xs" mb={6} align="baseline">
        <Text fw={600} className={classes['wrap'] ?? ''}>
          {name}{' '}
          {operation === null ? null : (
            <Text component="code" size="sm" c="dimmed" ff="monospace">
              {operation}
            </Text>
          )}
        </Text>
        <Text className={classes['numbers'] ?? ''}>{words}</Text>
      </Group>
      <Progress.Root size={8} radius="xl" className={classes['track'] ?? ''}>
        <Progress.Section
          value={share}
          color={colorOf(remaining, limit)}
          // Mantine's own attributes say percent.
          withAria={false}
          role="progressbar"
          aria-label={`${name}, limit ${limitName}`}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          aria-valuetext={words}
        />
      </Progress.Root>
      <Group justify="space-between" gap="xs" mt={6}>
        <Text size="sm" className={classes['numbers'] ?? ''}>
          {remaining === 0
            ? 'Used up: calls are refused with 429'
            : `${wholeNumber(remaining)} left`}
        </Text>
        <Countdown
          resetsAt={resetsAt}
          offsetMs={Date.parse(usage.generatedAt) - usage.receivedAtMs}
        />
      </Group>
      {overrideUntil === null ? null : (
        <Text size="sm" c="dimmed">
          An operator gave this application the limit of {wholeNumber(limit)} until{' '}
          <Time at={overrideUntil} />.
        </Text>
      )}
    </li>
  )
}

function colorOf(remaining: number, limit: number): string {
  if (remaining === 0) return 'red.6'
  return remaining * 5 <= limit ? 'amber.5' : 'tide.5'
}
