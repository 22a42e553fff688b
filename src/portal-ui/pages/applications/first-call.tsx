import { Anchor, Badge, Button, Group, List, Loader, Stack, Text, Title } from '@mantine/core'
import { Fragment, useEffect, useState } from 'react'
import { Link } from 'wouter'
import type { CallRecord } from '../../../gateway/portal/schemas/usage.ts'
import { useFirstCall } from '../../api/calls.ts'
import { Message } from '../../components/message.tsx'
import { Time } from '../../components/time.tsx'
import { useFacts } from '../../facts.tsx'
import { milliseconds } from '../../in-words.ts'
import { tabPath } from '../../tab-path.ts'
import { t } from '../../words.ts'
import classes from './applications.module.css'
import { CallStageText } from './call-stage-text.tsx'
import { stagesOf } from './call-stages.ts'
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
      <Title order={3}>{t(record === undefined ? 'firstCall.waiting' : 'firstCall.arrived')}</Title>
      <div role="status">
        {record === undefined ? (
          <Group gap="sm" wrap="nowrap">
            <Loader size="sm" type="dots" aria-hidden="true" />
            <Text>{t(calls.isError ? 'firstCall.cannotCheck' : 'firstCall.soon')}</Text>
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
  const { method, operation, status, totalMs } = record
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Badge color={outcomeColor(record)}>{outcomeWord(record)}</Badge>
        <Text fw={600} className={classes['wrap'] ?? ''}>
          <Message
            id="firstCall.latest"
            values={{
              call: (
                <bdi>
                  {method} {operation ?? t('firstCall.noOperation')}
                </bdi>
              ),
              status: statusWord(status),
            }}
          />
        </Text>
      </Group>
      <Text>
        <Happened record={record} /> {t('firstCall.took', { duration: milliseconds(totalMs) })}
      </Text>
      <Left record={record} />
    </Stack>
  )
}

/** What ended the call, or how it was counted and answered. */
function Happened({ record }: { readonly record: CallRecord }) {
  const reached = stagesOf(record).filter(({ state }) => state !== 'unreached')
  const told = reached.filter(({ stage }) => stage === 'limit' || stage === 'bank')
  const last = reached.slice(-1)
  return (isAdmitted(record) ? told : last).map(({ stage, state }) => (
    <Fragment key={stage}>
      <CallStageText record={record} stage={stage} state={state} />{' '}
    </Fragment>
  ))
}

function Left({ record }: { readonly record: CallRecord }) {
  const { limit, remaining, resetsAt } = record
  if (limit === null || remaining === null) {
    return !isAdmitted(record) ? <Text>{t('firstCall.notCounted')}</Text> : null
  }
  return (
    <Text>
      {resetsAt === null ? (
        t('firstCall.left', { count: remaining, limit })
      ) : (
        <Message
          id="firstCall.leftUntil"
          values={{ count: remaining, limit, time: <Time at={resetsAt} /> }}
        />
      )}
    </Text>
  )
}

function Onward({ applicationId }: { readonly applicationId: string }) {
  return (
    <Group gap="sm">
      <Button component={Link} href={tabPath(applicationId, 'usage')}>
        {t('firstCall.seeUsage')}
      </Button>
      <Button component={Link} href={tabPath(applicationId, 'calls')} variant="default">
        {t('firstCall.seeCalls')}
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
      <Text fw={600}>{t('firstCall.nothingYet')}</Text>
      <List size="sm" spacing={4} mt={4}>
        <List.Item>
          <Message id="firstCall.noResponse" values={{ url: <bdi>{gatewayUrl}</bdi> }} />
        </List.Item>
        <List.Item>{t('firstCall.unknownKey')}</List.Item>
        <List.Item>
          <Message
            id="firstCall.unknownPath"
            tags={{
              link: (text) => (
                <Anchor component={Link} href="/" inherit underline="always">
                  {text}
                </Anchor>
              ),
            }}
          />
        </List.Item>
      </List>
    </div>
  )
}
