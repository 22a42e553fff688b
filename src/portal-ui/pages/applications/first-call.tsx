import { Anchor, Badge, Button, Group, List, Loader, Stack, Text, Title } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import type { CallRecord } from '../../../gateway/portal/schemas/usage.ts'
import { useFirstCall } from '../../api/calls.ts'
import { LocalTimes } from '../../components/local-times.tsx'
import { Time } from '../../components/time.tsx'
import { useFacts } from '../../facts.tsx'
import { counted, milliseconds, wholeNumber } from '../../in-words.ts'
import { tabPath } from '../../tab-path.ts'
import classes from './applications.module.css'
import { isAdmitted, outcomeColor, outcomeWord, statusWord } from './call-words.ts'

const secondsUntilHints = 30

export interface FirstCallProps {
  readonly applicationId: string
  readonly keyId: string
}

/** Waits for the first call with a key and shows its result. */
export function FirstCall({ applicationId, keyId }: FirstCallProps) {
  const calls = useFirstCall(applicationId, keyId)
  const record = calls.data?.items[0]
  return (
    <Stack gap="sm">
      <Title order={3}>
        {record === undefined ? 'First call with this key' : 'The first call arrived'}
      </Title>
      <div role="status">
        {record === undefined ? (
          <Group gap="sm" wrap="nowrap">
            <Loader size="sm" type="dots" aria-hidden="true" />
            <Text>
              {calls.isError
                ? 'The portal cannot check for calls at the moment. It keeps trying.'
                : 'It appears here within a few seconds of reaching the gateway.'}
            </Text>
          </Group>
        ) : (
          <Arrived record={record} />
        )}
      </div>
      {record === undefined ? <Hints /> : <Onward applicationId={applicationId} />}
    </Stack>
  )
}

function Arrived({ record }: { readonly record: CallRecord }) {
  const { at, method, operation, status, totalMs, reason } = record
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Badge color={outcomeColor(record)}>{outcomeWord(record)}</Badge>
        <Text fw={600} className={classes['wrap'] ?? ''}>
          Latest call: {method} {operation ?? '(no such operation)'}: {statusWord(status)}
        </Text>
      </Group>
      <Text>
        <LocalTimes text={reason} at={at} /> In all it took {milliseconds(totalMs)}.
      </Text>
      <Left record={record} />
    </Stack>
  )
}

function Left({ record }: { readonly record: CallRecord }) {
  const { limit, remaining, resetsAt } = record
  if (limit === null || remaining === null) {
    return !isAdmitted(record) ? <Text>This call does not count against your limit.</Text> : null
  }
  return (
    <Text>
      {counted(remaining, 'call')} of {wholeNumber(limit)} left for this operation
      {resetsAt === null ? null : (
        <>
          {' '}
          until <Time at={resetsAt} />
        </>
      )}
      .
    </Text>
  )
}

function Onward({ applicationId }: { readonly applicationId: string }) {
  return (
    <Group gap="sm">
      <Button component={Link} href={tabPath(applicationId, 'usage')}>
        See usage
      </Button>
      <Button component={Link} href={tabPath(applicationId, 'calls')} variant="default">
        See calls
      </Button>
    </Group>
  )
}

function Hints() {
  const { gatewayUrl } = useFacts()
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), secondsUntilHints * 1000)
    return () => clearTimeout(timer)
  }, [])
  if (!isLate) return null
  return (
    <div role="status">
      <Text fw={600}>Nothing yet? Check the response that your program got:</Text>
      <List size="sm" spacing={4} mt={4}>
        <List.Item>
          No response at all: send calls to <bdi>{gatewayUrl}</bdi>.
        </List.Item>
        <List.Item>
          401: the key was incomplete, or not in the header X-API-Key. The portal cannot recognise
          such a call as yours, so it does not appear here.
        </List.Item>
        <List.Item>
          400 or 404: the path is not one of the reference; the field detail of the response says
          more.{' '}
          <Anchor component={Link} href="/" inherit underline="always">
            All APIs
          </Anchor>
        </List.Item>
      </List>
    </div>
  )
}
