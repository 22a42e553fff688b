import { Anchor, Badge, Button, Group, List, Loader, Stack, Text, Title } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import type { CallRecord } from '../../../gateway/portal/schemas/usage.ts'
import { useFirstCall } from '../../api/calls.ts'
import { Time } from '../../components/time.tsx'
import { useFacts } from '../../facts.tsx'
import { counted, milliseconds, wholeNumber } from '../../in-words.ts'
import classes from './applications.module.css'
import { isAdmitted, outcomeColor, outcomeWord, statusWord } from './call-words.ts'
import { tabPath } from './tab-path.ts'

const secondsUntilHints = 30

export interface FirstCallProps {
  readonly applicationId: string
  readonly keyId: string
}

/** Waits for the first call with a key and says what arrived. */
export function FirstCall({ applicationId, keyId }: FirstCallProps) {
  const calls = useFirstCall(applicationId, keyId)
  const record = calls.data?.items[0]
  return (
    <Stack gap="sm">
      <Title order={3}>
        {record === undefined ? 'Waiting for the first call' : 'The first call arrived'}
      </Title>
      <div role="status">
        {record === undefined ? (
          <Group gap="sm" wrap="nowrap">
            <Loader size="sm" type="dots" aria-hidden="true" />
            <Text>
              {calls.isError
                ? 'The portal cannot tell at the moment whether something arrived. It keeps asking.'
                : 'As soon as a call with this key reaches the gateway, you see it here.'}
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
  const { method, operation, status, totalMs, reason } = record
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Badge color={outcomeColor(record)} variant="light">
          {outcomeWord(record)}
        </Badge>
        <Text fw={600} className={classes['wrap'] ?? ''}>
          {method} {operation ?? 'to no operation'}: {statusWord(status)}
        </Text>
      </Group>
      <Text>
        {reason} In all it took {milliseconds(totalMs)}.
      </Text>
      <Left record={record} />
    </Stack>
  )
}

function Left({ record }: { readonly record: CallRecord }) {
  const { limit, remaining, resetsAt } = record
  if (limit === null || remaining === null) {
    return !isAdmitted(record) ? <Text>It was not counted.</Text> : null
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
      <Text fw={600}>Nothing yet? Look at what your program got as answer:</Text>
      <List size="sm" spacing={4} mt={4}>
        <List.Item>
          No answer at all: calls go to <bdi>{gatewayUrl}</bdi>.
        </List.Item>
        <List.Item>
          401: the key did not arrive whole, or not in the header X-API-Key. Such a call cannot be
          told to be yours, so it does not show here.
        </List.Item>
        <List.Item>
          400 or 404: the path is not one of the reference; the member detail of the answer says
          more.{' '}
          <Anchor component={Link} href="/" inherit underline="always">
            All APIs
          </Anchor>
        </List.Item>
      </List>
    </div>
  )
}
