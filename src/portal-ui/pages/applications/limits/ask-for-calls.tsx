import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import type { PublishedLimit } from '../../../../portal/api/schemas/catalogue.ts'
import type { LimitRequest } from '../../../../portal/api/schemas/limit-requests.ts'
import { useApis } from '../../../api/catalogue.ts'
import { useLimitRequests, useLimitRequestWithdrawal } from '../../../api/limit-requests.ts'
import { Message } from '../../../components/message.tsx'
import { NoticeLine } from '../../../components/notice-line.tsx'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { Time } from '../../../components/time.tsx'
import { WantedUntil } from '../../../components/wanted-until.tsx'
import { limitInWords, wholeNumber, windowInWords } from '../../../in-words.ts'
import { limitOfVersion } from '../../../published.ts'
import { t } from '../../../words.ts'
import { type SubscribedVersion, useSubscribedVersions } from '../subscribed-versions.ts'
import { AskDialog, type Choice } from './ask-dialog.tsx'

/** A button that asks the operator for more calls, and what became of earlier requests. */
export function AskForCalls({ applicationId }: { readonly applicationId: string }) {
  const [isAsking, setIsAsking] = useState(false)
  const { versions = [] } = useSubscribedVersions(applicationId)
  const { data } = useLimitRequests(applicationId)
  const choices = choicesOf(versions)
  if (choices.length === 0) return null
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" size="sm" onClick={() => setIsAsking(true)}>
          {t('moreCalls.ask')}
        </Button>
      </Group>
      {worthShowing(data?.items ?? []).map((request) => (
        <Asked key={request.id} applicationId={applicationId} request={request} />
      ))}
      <AskDialog
        // Another plan suggests another number.
        key={`${choices[0]?.limit} ${choices[0]?.calls}`}
        applicationId={applicationId}
        choices={choices}
        opened={isAsking}
        onClose={() => setIsAsking(false)}
      />
    </Stack>
  )
}

/** Number of answered requests shown, newest first. */
const answeredMax = 3

/** All open requests, which can be withdrawn, and the newest answers that still hold. */
function worthShowing(requests: readonly LimitRequest[]): LimitRequest[] {
  const isOver = ({ grantedUntil }: LimitRequest): boolean =>
    grantedUntil !== null && Date.parse(grantedUntil) <= Date.now()
  const open = requests.filter(({ state }) => state === 'open')
  const answered = requests.filter(
    (request) => ['granted', 'declined'].includes(request.state) && !isOver(request),
  )
  return [...open, ...answered.slice(0, answeredMax)]
}

interface AskedProps {
  readonly applicationId: string
  readonly request: LimitRequest
}

function Asked({ applicationId, request }: AskedProps) {
  const withdrawal = useLimitRequestWithdrawal(applicationId)
  const { data: apis } = useApis()
  const { state, calls, createdAt, grantedCalls, grantedUntil, wantedUntil } = request
  if (state === 'withdrawn') return null
  return (
    <NoticeLine tone={tones[state]}>
      <Message
        id={`moreCalls.${state}`}
        values={{
          limit: <bdi>{limitOfVersion(apis, request)}</bdi>,
          calls: wholeNumber(grantedCalls ?? calls),
          at: <Time at={createdAt} />,
          until: grantedUntil === null ? '' : <Time at={grantedUntil} />,
          answer: <bdi>{request.answer}</bdi>,
        }}
      />{' '}
      {state === 'open' && wantedUntil !== null ? <WantedUntil at={wantedUntil} /> : null}{' '}
      {state === 'open' ? (
        <Button
          variant="subtle"
          size="compact-sm"
          loading={withdrawal.isPending}
          onClick={() => withdrawal.mutate(request.id)}
        >
          {t('moreCalls.withdraw')}
        </Button>
      ) : null}
      <ProblemAlert error={withdrawal.error} />
    </NoticeLine>
  )
}

const tones = { open: 'neutral', granted: 'ok', declined: 'warn' } as const

function choicesOf(versions: readonly SubscribedVersion[]): Choice[] {
  return versions.flatMap(({ api, version, title, subscription, plans }) => {
    const limits = plans.find(({ name }) => name === subscription.plan)?.limits ?? []
    return limits.map((limit) => ({
      api,
      version,
      limit: limit.name,
      title: `${title} ${version}`,
      // Short where it says enough, because a list cuts what is long.
      inWords: limits.length > 1 ? limitInWords(limit) : limitInShort(limit),
      calls: limit.calls,
      window: windowInWords(limit),
      scope: limit.scope,
    }))
  })
}

function limitInShort(limit: PublishedLimit): string {
  return t('moreCalls.choice', { calls: limit.calls, window: windowInWords(limit) })
}
