import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { WaitingLimitRequest } from '../../../portal/api/schemas/limit-requests.ts'
import { operatorApplicationPath } from '../../../portal/pages/page-paths.ts'
import { useApis } from '../../api/catalogue.ts'
import { useLimitRequestDecline, useLimitRequestGrant } from '../../api/limit-requests.ts'
import { useAllLimitRequests } from '../../api/operator.ts'
import { CallsField, callsIn } from '../../components/calls-field.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { filled } from '../../components/form.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Message } from '../../components/message.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { SectionCard } from '../../components/section-card.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import { WantedUntil } from '../../components/wanted-until.tsx'
import { wholeNumber, windowInWords } from '../../in-words.ts'
import { inDays, instantOf, localOf, usualDays } from '../../local-moment.ts'
import { limitOfVersion } from '../../published.ts'
import { t } from '../../words.ts'
import { MoreButton } from './more-button.tsx'
import { UntilField } from './until-field.tsx'

/** Developers who ask for more calls: grant until a day, or decline with a sentence. */
export function RequestsSection() {
  const open = useAllLimitRequests('open')
  const closed = useAllLimitRequests('closed')
  if (open.data === undefined) return <QueryState query={open} />
  const waiting = open.data.pages.flatMap(({ items }) => items)
  const answered = closed.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Stack gap="lg">
      {waiting.length === 0 ? (
        <EmptyState title={t('requests.none')}>{t('requests.noneMeans')}</EmptyState>
      ) : (
        waiting.map((request) => <Waiting key={request.id} request={request} />)
      )}
      <MoreButton query={open} />
      {answered.length === 0 ? null : (
        <Stack gap="xs" component="section">
          <Title order={2} size="h3">
            {t('requests.closed')}
          </Title>
          {answered.map((request) => (
            <Text size="sm" key={request.id}>
              <Summary request={request} />{' '}
              {request.state === 'open' ? null : t(`requests.${request.state}`)}
            </Text>
          ))}
          <MoreButton query={closed} />
        </Stack>
      )}
    </Stack>
  )
}

interface RequestProps {
  readonly request: WaitingLimitRequest
}

function Waiting({ request }: RequestProps) {
  const [dialog, setDialog] = useState<'grant' | 'decline'>()
  const close = () => setDialog(undefined)
  return (
    <SectionCard
      title={<bdi>{request.applicationName}</bdi>}
      action={
        <TextLink href={operatorApplicationPath(request.applicationId)} inherit>
          {t('requests.application')}
        </TextLink>
      }
    >
      <Stack gap="sm">
        <Text size="sm">
          <Summary request={request} /> <Time at={request.createdAt} />
        </Text>
        {request.wantedUntil === null ? null : (
          <Text size="sm">
            <WantedUntil at={request.wantedUntil} />
          </Text>
        )}
        {request.limitNow === null ? (
          <Text size="sm">
            <Now request={request} />
          </Text>
        ) : null}
        <Text size="sm" component="blockquote" m={0}>
          <bdi>{request.reason}</bdi>
        </Text>
        <Group gap="sm">
          <Button size="sm" onClick={() => setDialog('grant')}>
            {t('requests.grant')}
          </Button>
          <Button size="sm" variant="default" onClick={() => setDialog('decline')}>
            {t('requests.decline')}
          </Button>
        </Group>
      </Stack>
      <Grant request={request} opened={dialog === 'grant'} onClose={close} />
      <Decline request={request} opened={dialog === 'decline'} onClose={close} />
    </SectionCard>
  )
}

function Summary({ request }: RequestProps) {
  const { data: apis } = useApis()
  const { developerEmail, calls, limitNow, state } = request
  const values = {
    developer: <bdi>{developerEmail}</bdi>,
    calls: wholeNumber(calls),
    limit: <bdi>{limitOfVersion(apis, request)}</bdi>,
  }
  // A limit that was changed meanwhile would make the sentence of a closed request wrong.
  if (limitNow === null || state !== 'open') return <Message id="requests.asked" values={values} />
  return (
    <Message
      id="requests.wants"
      values={{
        ...values,
        now: wholeNumber(limitNow.calls),
        window: windowInWords(limitNow),
        scope: limitNow.scope,
      }}
    />
  )
}

/** What the limit allows now. */
function Now({ request: { limitNow } }: RequestProps) {
  return limitNow === null
    ? t('requests.outdated')
    : t('requests.callsNow', { calls: wholeNumber(limitNow.calls) })
}

interface AnswerProps extends RequestProps {
  readonly opened: boolean
  readonly onClose: () => void
}

function Grant({ request, opened, onClose }: AnswerProps) {
  const form = useForm({
    initialValues: { calls: String(request.calls), until: suggestedEnd(request) },
    validate: { calls: filled(), until: filled() },
  })
  const grant = useLimitRequestGrant(request.id, onClose)
  return (
    <FormDialog
      opened={opened}
      title={t('requests.grantTitle')}
      form={form}
      mutation={grant}
      onSubmit={({ calls, until }) =>
        grant.mutate({ calls: callsIn(calls), until: instantOf(until) })
      }
      errorsOf={(error) => {
        const { expiresAt, until = expiresAt, calls } = fieldErrors(error, grantFields)
        return { until, calls }
      }}
      action={t('requests.grant')}
      onCancel={onClose}
    >
      <CallsField
        label={t('requests.newLimit')}
        description={<Now request={request} />}
        {...form.getInputProps('calls')}
      />
      <UntilField
        {...form.getInputProps('until')}
        onPick={(local) => form.setFieldValue('until', local)}
      />
    </FormDialog>
  )
}

/** What the developer asked for, or the usual time once that is over. */
function suggestedEnd({ wantedUntil }: WaitingLimitRequest): string {
  const isAhead = wantedUntil !== null && Date.parse(wantedUntil) > Date.now()
  return isAhead ? localOf(wantedUntil) : inDays(usualDays)
}

const grantFields = ['calls', 'until', 'expiresAt'] as const

function Decline({ request, opened, onClose }: AnswerProps) {
  const form = useForm({ initialValues: { reason: '' }, validate: { reason: filled() } })
  const decline = useLimitRequestDecline(request.id, onClose)
  return (
    <FormDialog
      opened={opened}
      title={t('requests.declineTitle')}
      form={form}
      mutation={decline}
      onSubmit={({ reason }) => decline.mutate({ reason })}
      action={t('requests.decline')}
      onCancel={onClose}
    >
      <TextInput
        label={t('requests.answer')}
        description={t('requests.answerHelp')}
        autoComplete="off"
        maxLength={500}
        required
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  )
}
