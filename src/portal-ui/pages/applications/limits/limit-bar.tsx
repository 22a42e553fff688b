import { Progress } from '@mantine/core'
import type { LiveUsage } from '../../../../portal/api/schemas/usage.ts'
import { useApis } from '../../../api/catalogue.ts'
import type { ReceivedUsage } from '../../../api/usage.ts'
import { Message } from '../../../components/message.tsx'
import { Time } from '../../../components/time.tsx'
import { wholeNumber } from '../../../in-words.ts'
import { versionTitle } from '../../../published.ts'
import { t } from '../../../words.ts'
import classes from '../overview.module.css'
import { Countdown } from './countdown.tsx'

export interface LimitBarProps {
  readonly item: LiveUsage
  readonly name: string
  /** The response that contains it; the countdown follows the counter's clock. */
  readonly usage: ReceivedUsage
  /** Leaves out the name of the operation and what is left. */
  readonly isShort?: boolean
}

/** One limit in use: calls used, calls left, and when it resets. */
export function LimitBar({ item, name, usage, isShort = false }: LimitBarProps) {
  const { data: apis } = useApis()
  const { api, version, operation, limitName, limit, used, remaining, resetsAt, overrideUntil } =
    item
  const share = Math.min(100, (used / Math.max(1, limit)) * 100)
  return (
    <li className={classes['limit']} data-short={isShort || undefined}>
      <div className={classes['limitName']}>
        <span className={classes['strong']}>
          <bdi>{name}</bdi>
        </span>{' '}
        {isShort || operation === null ? null : (
          <code dir="ltr" className={classes['operation']}>
            {operation}
          </code>
        )}
      </div>
      <Progress.Root size={6} radius="xl" className={classes['track'] ?? ''}>
        <Progress.Section
          value={share}
          color={colorOf(remaining, limit)}
          // Mantine's own attributes say percent.
          withAria={false}
          role="progressbar"
          aria-label={t('limit.bar', { name, limit: limitName })}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          aria-valuetext={t('limit.used', { used, limit })}
        />
      </Progress.Root>
      <div className={classes['limitCount']}>
        {isShort ? (
          <bdi dir="ltr">
            {wholeNumber(used)}/{wholeNumber(limit)}
          </bdi>
        ) : (
          t('limit.used', { used, limit })
        )}
      </div>
      <div className={classes['limitNote']}>
        {isShort ? (
          <>
            <bdi>{versionTitle(apis, { api, version })}</bdi>
            {' · '}
          </>
        ) : null}
        {remaining === 0 ? (
          <span className={classes['usedUp']}>{t('limit.usedUp')}</span>
        ) : isShort ? null : (
          t('limit.left', { count: remaining })
        )}{' '}
        <Countdown
          resetsAt={resetsAt}
          offsetMs={Date.parse(usage.generatedAt) - usage.receivedAtMs}
        />
      </div>
      {overrideUntil === null || isShort ? null : (
        <div className={classes['limitOverride']}>
          <Message
            id="limit.override"
            values={{ limit: wholeNumber(limit), time: <Time at={overrideUntil} /> }}
          />
        </div>
      )}
    </li>
  )
}

function colorOf(remaining: number, limit: number): string {
  if (remaining === 0) return 'red.6'
  return remaining * 5 <= limit ? 'amber.5' : 'tide.5'
}
