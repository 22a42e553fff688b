import { List, Loader, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import type { CallRecord } from '../../../../portal/api/schemas/usage.ts'
import { useFirstCall } from '../../../api/calls.ts'
import { Message } from '../../../components/message.tsx'
import { StatusCode } from '../../../components/status-code.tsx'
import { pageLink, TextLink } from '../../../components/text-link.tsx'
import { Time } from '../../../components/time.tsx'
import { useFacts } from '../../../facts.tsx'
import { milliseconds } from '../../../in-words.ts'
import { tabPath } from '../../../tab-path.ts'
import { t } from '../../../words.ts'
import classes from '../applications.module.css'
import { CallStageText } from '../calls/call-stage-text.tsx'
import { stagesOf } from '../calls/call-stages.ts'
import { isAdmitted } from '../calls/call-words.ts'

const secondsUntilHints = 30

export interface FirstCallProps {
  readonly applicationId: string
  readonly keyId: string
  /** Ways to make it. */
  readonly children: ReactNode
}

/** Waits for the first call with a key and shows its result. */
export function FirstCall({ applicationId, keyId, children }: FirstCallProps) {
  const calls = useFirstCall(applicationId, keyId)
  const record = calls.data?.items[0]
  return (
    <Stack gap="sm">
      <div>
        <Title order={3}>
          {t(record === undefined ? 'firstCall.waiting' : 'firstCall.arrived')}
        </Title>
        <div role="status" className={classes['firstCall']}>
          {record === undefined ? (
            <>
              <Loader size="xs" type="dots" aria-hidden="true" />
              {t(calls.isError ? 'firstCall.cannotCheck' : 'firstCall.soon')}
            </>
          ) : (
            <Arrived applicationId={applicationId} record={record} />
          )}
        </div>
      </div>
      {children}
      {record === undefined ? <Hints /> : null}
    </Stack>
  )
}

interface ArrivedProps {
  readonly applicationId: string
  readonly record: CallRecord
}

function Arrived({ applicationId, record }: ArrivedProps) {
  const { requestId, status, totalMs, outcome } = record
  const query = new URLSearchParams({ request: requestId })
  return (
    <span>
      <Message
        id="firstCall.inTime"
        values={{
          status: status === 0 ? t('calls.noResponse') : <StatusCode status={status} />,
          duration: milliseconds(totalMs),
        }}
      />
      {outcome === 'forwarded' ? null : (
        <>
          {' · '}
          <End record={record} />
        </>
      )}
      <Left record={record} />
      {' · '}
      <TextLink href={`${tabPath(applicationId, 'calls')}?${query}`} inherit>
        {t('firstCall.seeCall')}
      </TextLink>
    </span>
  )
}

/** What ended a call that the bank did not answer. */
function End({ record }: { readonly record: CallRecord }) {
  const last = stagesOf(record).findLast(({ state }) => state !== 'unreached')
  return last === undefined ? null : <CallStageText record={record} {...last} />
}

function Left({ record }: { readonly record: CallRecord }) {
  const { limit, remaining, resetsAt } = record
  if (limit === null || remaining === null) {
    return isAdmitted(record) ? null : ` · ${t('firstCall.notCounted')}`
  }
  return (
    <>
      {' · '}
      {resetsAt === null ? (
        t('firstCall.left', { count: remaining, limit })
      ) : (
        <Message
          id="firstCall.leftUntil"
          values={{ count: remaining, limit, time: <Time at={resetsAt} isBrief /> }}
        />
      )}
    </>
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
          <Message id="firstCall.unknownPath" tags={{ link: pageLink('/', { inherit: true }) }} />
        </List.Item>
      </List>
    </div>
  )
}
