import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { LimitRequest } from '../../../gateway/portal/schemas/limit-requests.ts'
import { isProblem } from '../../api/client.ts'
import {
  useLimitRequest,
  useLimitRequests,
  useLimitRequestWithdrawal,
} from '../../api/limit-requests.ts'
import { fieldErrors } from '../../components/field-errors.ts'
import { filled } from '../../components/form.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Message } from '../../components/message.tsx'
import { NoticeLine } from '../../components/notice-line.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Time } from '../../components/time.tsx'
import { limitInWords, wholeNumber } from '../../in-words.ts'
import { problemSentence } from '../../problem-words.ts'
import { nameAsText, t } from '../../words.ts'
import { type SubscribedVersion, useSubscribedVersions } from './subscribed-versions.ts'

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
      {(data?.items ?? []).slice(0, shown).map((request) => (
        <Asked key={request.id} applicationId={applicationId} request={request} />
      ))}
      <AskDialog
        applicationId={applicationId}
        choices={choices}
        opened={isAsking}
        onClose={() => setIsAsking(false)}
      />
    </Stack>
  )
}

/** Number of requests shown, newest first. */
const shown = 3

interface AskedProps {
  readonly applicationId: string
  readonly request: LimitRequest
}

function Asked({ applicationId, request }: AskedProps) {
  const withdrawal = useLimitRequestWithdrawal(applicationId)
  const { state, api, version, limit, calls, createdAt, grantedCalls, grantedUntil } = request
  if (state === 'withdrawn') return null
  return (
    <NoticeLine tone={tones[state]}>
      <Message
        id={`moreCalls.${state}`}
        values={{
          limit: (
            <bdi>
              {api} {version}, {limit}
            </bdi>
          ),
          calls: wholeNumber(grantedCalls ?? calls),
          at: <Time at={createdAt} />,
          until: grantedUntil === null ? '' : <Time at={grantedUntil} />,
          answer: <bdi>{request.answer}</bdi>,
        }}
      />{' '}
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

interface Choice {
  readonly api: string
  readonly version: string
  readonly limit: string
  readonly title: string
  readonly inWords: string
}

interface AskDialogProps {
  readonly applicationId: string
  readonly choices: readonly Choice[]
  readonly opened: boolean
  readonly onClose: () => void
}

function AskDialog({ applicationId, choices, opened, onClose }: AskDialogProps) {
  const form = useForm({
    initialValues: { limit: '0', calls: '', reason: '' },
    validate: { calls: filled(), reason: filled() },
  })
  const asking = useLimitRequest(applicationId, close)
  const choice = choices[Number(form.values.limit)]

  function close(): void {
    form.reset()
    onClose()
  }

  return (
    <FormDialog
      opened={opened}
      title={t('moreCalls.title')}
      form={form}
      mutation={asking}
      onSubmit={({ calls, reason }) => {
        if (choice === undefined) return
        const { api, version, limit } = choice
        // The portal refuses invalid numbers.
        const wanted = /^\d{1,10}$/.test(calls.trim()) ? Number(calls) : 0
        asking.mutate({ api, version, limit, calls: wanted, reason })
      }}
      errorsOf={errorsOf}
      action={t('moreCalls.send')}
      onCancel={() => {
        asking.reset()
        close()
      }}
    >
      <Text size="sm">{t('moreCalls.means')}</Text>
      <NativeSelect
        label={t('moreCalls.limit')}
        {...form.getInputProps('limit')}
        data={choices.map(({ title, inWords }, index) => ({
          value: String(index),
          label: `${nameAsText(title)}: ${inWords}`,
        }))}
      />
      <TextInput
        label={t('moreCalls.calls')}
        inputMode="numeric"
        autoComplete="off"
        maxLength={10}
        required
        {...form.getInputProps('calls')}
      />
      <Textarea
        label={t('moreCalls.reason')}
        description={t('moreCalls.reasonHelp')}
        maxLength={500}
        required
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  )
}

/** One field chooses the API, the version and the limit. */
function errorsOf(error: Error): Record<string, string | undefined> {
  if (isProblem(error, 'CONFLICT')) return { limit: problemSentence(error.problem) }
  const { api, version, limit = api ?? version, ...others } = fieldErrors(error, fields)
  return { limit, ...others }
}

const fields = ['api', 'version', 'limit', 'calls', 'reason'] as const

function choicesOf(versions: readonly SubscribedVersion[]): Choice[] {
  return versions.flatMap(({ api, version, title, subscription, plans }) => {
    const limits = plans.find(({ name }) => name === subscription.plan)?.limits ?? []
    return limits.map((limit) => ({
      ...{ api, version, limit: limit.name },
      ...{ title: `${title} ${version}`, inWords: limitInWords(limit) },
    }))
  })
}
