import { Button, Group, List, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useLocation, useParams, useSearchParams } from 'wouter'
import type { Application } from '../../../../portal/api/schemas/applications.ts'
import type { MovePreview } from '../../../../portal/api/schemas/moves.ts'
import { useApplication, useSubscribing, useSubscriptionEnd } from '../../../api/applications.ts'
import { useApis } from '../../../api/catalogue.ts'
import { useMove, useMovePreview } from '../../../api/moves.ts'
import { Confirm } from '../../../components/confirm.tsx'
import { Figure, Figures } from '../../../components/figure.tsx'
import { Message } from '../../../components/message.tsx'
import { NoticeLine } from '../../../components/notice-line.tsx'
import { ProblemAlert } from '../../../components/problem-alert.tsx'
import { QueryState } from '../../../components/query-state.tsx'
import { pageLink } from '../../../components/text-link.tsx'
import { Time } from '../../../components/time.tsx'
import { wholeNumber } from '../../../in-words.ts'
import { NotFoundPage } from '../../../layout/not-found-page.tsx'
import { Page } from '../../../layout/page.tsx'
import { diffPath, limitOfVersion, planTitle, versionTitle } from '../../../published.ts'
import { tabPath } from '../../../tab-path.ts'
import { nameAsText, t } from '../../../words.ts'
import { ApplicationFrame } from '../application-frame.tsx'
import { type SubscribedVersion, useSubscribedVersions } from '../subscribed-versions.ts'
import { ReplayTable } from './replay-table.tsx'

/**
 * Moves a subscription to another version. First shows how that version would have handled the application's recorded calls.
 */
export function MovePage() {
  const { id = '', subscriptionId = '' } = useParams()
  const [search] = useSearchParams()
  const application = useApplication(id)
  const { versions, error } = useSubscribedVersions(id)
  if (application.error !== null || error !== null) return <NotFoundPage />
  if (application.data === undefined || versions === undefined) {
    return (
      <Page title={t('move.title')}>
        <QueryState query={application} />
      </Page>
    )
  }
  const version = versions.find(({ subscription }) => subscription.id === subscriptionId)
  const to = search.get('to') ?? version?.lifecycle.successor
  if (version === undefined || to === undefined) return <NotFoundPage />
  return <Move application={application.data} version={version} to={to} />
}

interface MoveProps {
  readonly application: Application
  readonly version: SubscribedVersion
  readonly to: string
}

function Move({ application, version, to }: MoveProps) {
  const preview = useMovePreview(application.id, version.subscription.id, to)
  return (
    <ApplicationFrame application={application} current="subscriptions">
      <Page
        title={t('move.titleOf', { to })}
        width="inner"
        lead={
          <Message
            id="move.lead"
            values={{ title: <bdi>{version.title}</bdi>, from: version.version, to }}
            tags={{ link: pageLink(diffPath(version.api, version.version, to), { inherit: true }) }}
          />
        }
      >
        {preview.data === undefined ? (
          <QueryState query={preview} label={t('move.loading')} />
        ) : (
          <Stack gap="lg">
            <Prediction preview={preview.data} />
            <Choice application={application} version={version} preview={preview.data} />
            <Known preview={preview.data} />
          </Stack>
        )}
      </Page>
    </ApplicationFrame>
  )
}

function Prediction({ preview: { api, replay, from, to } }: { readonly preview: MovePreview }) {
  const { calls, allowed, missing, refused, unknown, leftOut, since, until, operations } = replay
  if (calls + unknown + leftOut === 0) {
    return <NoticeLine tone="neutral">{t('move.noCalls', { from })}</NoticeLine>
  }
  return (
    <Stack gap="sm" component="section" aria-label={t('move.prediction')}>
      <Figures>
        <Figure label={t('move.calls', { from })} value={wholeNumber(calls)} />
        <Figure label={t('move.work')} value={wholeNumber(allowed)} />
        <Figure label={t('move.missing', { to })} value={wholeNumber(missing)} />
        <Figure label={t('move.refused')} value={wholeNumber(refused - missing)} />
      </Figures>
      {since === null || until === null ? null : (
        <Text size="sm" c="dimmed">
          <Message
            id="move.span"
            values={{ since: <Time at={since} />, until: <Time at={until} /> }}
          />
          {unknown === 0 ? null : ` ${t('move.unknown', { count: unknown })}`}
          {leftOut === 0 ? null : ` ${t('move.leftOut', { count: leftOut })}`}
        </Text>
      )}
      <ReplayTable api={api} operations={operations} />
    </Stack>
  )
}

function Choice({
  application: { id },
  version: { subscription },
  preview,
}: Omit<MoveProps, 'to'> & { readonly preview: MovePreview }) {
  const { api, from, to, plan, keepsPlan, isSubscribed, overrides } = preview
  const { data: apis } = useApis()
  const [isAsking, setIsAsking] = useState(false)
  const [, navigate] = useLocation()
  const leave = () => navigate(tabPath(id, 'subscriptions'))
  const moving = useMove(id, subscription.id, leave)
  const ending = useSubscriptionEnd(id, leave)
  // With a subscription to the new version, only the end of the old one is left.
  const last = isSubscribed
    ? {
        title: t('subscriptions.endTitle'),
        action: t('subscriptions.end'),
        means: t('subscriptions.endMeans', {
          name: nameAsText(versionTitle(apis, { api, version: from })),
        }),
        mutation: ending,
        start: () => ending.mutate(subscription.id),
      }
    : {
        title: t('move.ask', { to }),
        action: t('move.confirm'),
        means: t('move.means', { from, to }),
        mutation: moving,
        start: () => moving.mutate({ to, plan }),
      }
  const subscribing = useSubscribing(id, leave)
  return (
    <Stack gap="sm" component="section" aria-label={t('move.choice')}>
      <Title order={2} size="h3">
        {t('move.choice')}
      </Title>
      <Text size="sm" maw="44rem">
        {t(isSubscribed ? 'move.isSubscribed' : 'move.advice', { from, to })}
      </Text>
      {keepsPlan || isSubscribed ? null : (
        <Text size="sm">
          {t('move.otherPlan', {
            plan: nameAsText(planTitle(apis, { api, version: to, plan })),
            to,
          })}
        </Text>
      )}
      {overrides.map(({ limit, calls, expiresAt }) => (
        <Text size="sm" key={limit}>
          <Message
            id="move.override"
            values={{
              calls: wholeNumber(calls),
              limit: <bdi>{limitOfVersion(apis, { api, version: from, limit })}</bdi>,
              until: <Time at={expiresAt} />,
              to,
            }}
          />
        </Text>
      ))}
      <ProblemAlert error={subscribing.error} />
      <Group gap="sm">
        {isSubscribed ? null : (
          <Button
            loading={subscribing.isPending}
            onClick={() => subscribing.mutate({ api, version: to, plan })}
          >
            {t('move.both')}
          </Button>
        )}
        <Button variant="default" onClick={() => setIsAsking(true)}>
          {t(isSubscribed ? 'move.end' : 'move.now', { from })}
        </Button>
      </Group>
      <Confirm
        opened={isAsking}
        onClose={() => {
          last.mutation.reset()
          setIsAsking(false)
        }}
        title={last.title}
        action={last.action}
        onConfirm={last.start}
        mutation={last.mutation}
      >
        <Text>{last.means}</Text>
      </Confirm>
    </Stack>
  )
}

/** What the prediction covers and what it does not. */
function Known({ preview: { from, to } }: { readonly preview: MovePreview }) {
  return (
    <Stack gap="xs" component="section" aria-label={t('move.known')}>
      <Title order={2} size="h3">
        {t('move.known')}
      </Title>
      <List size="sm" maw="44rem">
        <List.Item>{t('move.exact', { to })}</List.Item>
        <List.Item>{t('move.counts', { from, to })}</List.Item>
        <List.Item>{t('move.hints')}</List.Item>
      </List>
    </Stack>
  )
}
