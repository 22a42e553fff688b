import { Anchor, Badge, Stack, Text } from '@mantine/core'
import type { CallRecord } from '../../../gateway/portal/schemas/usage.ts'
import { LocalTimes } from '../../components/local-times.tsx'
import { Time } from '../../components/time.tsx'
import { milliseconds, wholeNumber } from '../../in-words.ts'
import classes from './applications.module.css'
import { errorCode, outcomeColor, outcomeWord, statusWord } from './call-words.ts'
import { Fact } from './fact.tsx'
import { TimeSplit } from './time-split.tsx'

export interface CallRecordsProps {
  readonly records: readonly CallRecord[]
  readonly label: string
  /** Whether all details start open. */
  readonly areOpen?: boolean
}

/** A list of calls: one line each, with details to open. */
export function CallRecords({ records, label, areOpen = false }: CallRecordsProps) {
  if (records.length === 0) return null
  return (
    <Stack component="ul" gap="xs" className={classes['list'] ?? ''} aria-label={label}>
      {records.map((record) => (
        <li key={`${record.requestId} ${record.at}`}>
          <details className={classes['call']} open={areOpen}>
            <summary>
              <Badge color={outcomeColor(record)} miw="max-content">
                {outcomeWord(record)}
              </Badge>
              <Text component="span" className={classes['wrap'] ?? ''}>
                {record.method} {record.operation ?? '(no such operation)'}
              </Text>
              <Text component="span" fw={600}>
                {statusWord(record.status)}
              </Text>
              <Text component="span" size="sm" c="dimmed">
                <Time at={record.at} isPrecise />
              </Text>
            </summary>
            <Everything record={record} />
          </details>
        </li>
      ))}
    </Stack>
  )
}

function Everything({ record }: { readonly record: CallRecord }) {
  const { requestId, api, version, keyId, reason, totalMs, upstreamMs } = record
  const code = errorCode(record)
  return (
    <Stack gap="md" className={classes['callBody'] ?? ''}>
      <Text>
        <LocalTimes text={reason} at={record.at} />{' '}
        {code === undefined ? null : (
          <Anchor href={`/problems/${code}`} underline="always">
            What {code} means
          </Anchor>
        )}
      </Text>
      <dl className={classes['facts']}>
        <Fact name="X-Request-ID">{requestId}</Fact>
        <Fact name="API version">
          {api === null || version === null ? 'None recognised' : `${api} ${version}`}
        </Fact>
        <Fact name="Key">tg_{keyId}_…</Fact>
        <Fact name="Count">
          <Count record={record} />
        </Fact>
        <Fact name="Took">{milliseconds(totalMs)}</Fact>
      </dl>
      <TimeSplit totalMs={totalMs} upstreamMs={upstreamMs} />
    </Stack>
  )
}

function Count({ record: { limit, used, remaining, resetsAt } }: { readonly record: CallRecord }) {
  if (limit === null) return 'Not counted'
  const until =
    resetsAt === null ? null : (
      <>
        {' '}
        until <Time at={resetsAt} />
      </>
    )
  if (used === null || remaining === null) return `Limit of ${wholeNumber(limit)}, count unknown`
  return (
    <>
      {wholeNumber(used)} of {wholeNumber(limit)} used, {wholeNumber(remaining)} left{until}
    </>
  )
}
