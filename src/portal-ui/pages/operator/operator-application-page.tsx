import { Badge, Button, Stack, Text, Title } from '@mantine/core'
import { useParams } from 'wouter'
import type { Key, Subscription } from '../../../gateway/portal/schemas/applications.ts'
import type { OperatedApplicationDetail } from '../../../gateway/portal/schemas/operator.ts'
import { isProblem } from '../../api/client.ts'
import { useOperatedApplication, useOperatedKeys } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { Page } from '../../layout/page.tsx'
import { ApplicationSuspension } from './application-suspension.tsx'
import { Overrides } from './overrides.tsx'
import { ScrollTable } from './scroll-table.tsx'
import { SectionLinks, sectionPath } from './section-links.tsx'

/** One application, for operators: its subscriptions, keys and limit overrides. */
export function OperatorApplicationPage() {
  const { id = '' } = useParams<{ id: string }>()
  const found = useOperatedApplication(id)
  const { data, error } = found
  if (isProblem(error, 'NOT_FOUND') || isProblem(error, 'INPUT_INVALID')) return <NotFoundPage />
  if (data !== undefined) return <Detail detail={data} />
  return (
    <Page title="Application">
      <QueryState query={found} />
    </Page>
  )
}

function Detail({ detail }: { readonly detail: OperatedApplicationDetail }) {
  const { application, subscriptions, overrides } = detail
  const { id, name, developerEmail, createdAt, suspendedAt, strict, redirectOrigins } = application
  return (
    <Page
      title={name}
      heading={<bdi>{name}</bdi>}
      lead={
        <Stack gap={6} align="flex-start">
          <span>
            of{' '}
            <TextLink href={sectionPath('developers', { search: developerEmail })}>
              <bdi>{developerEmail}</bdi>
            </TextLink>
            , since <Time at={createdAt} />
          </span>
          <TextLink href={sectionPath('security-events', { party: `application:${id}` })}>
            Security events
          </TextLink>
          {suspendedAt === null ? null : <Badge color="red">Suspended</Badge>}
          {strict ? <Badge>Signed calls only</Badge> : null}
          {redirectOrigins.length === 0 ? null : (
            <span>
              Redirects to <bdi>{redirectOrigins.join(', ')}</bdi>
            </span>
          )}
        </Stack>
      }
      actions={<ApplicationSuspension application={application} />}
    >
      <SectionLinks current="applications" />
      <Stack gap="sm" component="section">
        <Title order={2}>Subscriptions</Title>
        <Subscriptions items={subscriptions} />
      </Stack>
      <Stack gap="sm" component="section">
        <Title order={2}>API keys</Title>
        <Keys applicationId={application.id} />
      </Stack>
      <Overrides applicationId={application.id} items={overrides} subscriptions={subscriptions} />
    </Page>
  )
}

function Subscriptions({ items }: { readonly items: readonly Subscription[] }) {
  if (items.length === 0) {
    return (
      <EmptyState title="No subscriptions">
        The gateway refuses every call of this application with NOT_SUBSCRIBED.
      </EmptyState>
    )
  }
  return (
    <ScrollTable
      label="Subscriptions"
      head={['API', 'Version', 'Plan', 'Since', 'Ended']}
      rows={items.map(({ id, api, version, plan, createdAt, endedAt }) => ({
        id,
        cells: [api, version, plan, <Time key="since" at={createdAt} />, timeOr('–', endedAt)],
      }))}
    />
  )
}

function timeOr(otherwise: string, at: string | null) {
  return at === null ? otherwise : <Time at={at} />
}

const stateColours: Readonly<Record<Key['state'], string>> = {
  active: 'green',
  replaced: 'amber',
  expired: 'gray',
  revoked: 'gray',
}

function Keys({ applicationId }: { readonly applicationId: string }) {
  const query = useOperatedKeys(applicationId)
  if (query.data === undefined) return <QueryState query={query} />
  const items = query.data.pages.flatMap((page) => page.items)
  if (items.length === 0) {
    return <EmptyState title="No API keys">Without a key this application cannot call.</EmptyState>
  }
  return (
    <>
      <ScrollTable
        label="API keys"
        head={['Name', 'Key', 'State', 'Created', 'Last used', 'Expires']}
        rows={items.map(({ id, name, hint, state, createdAt, lastUsedAt, expiresAt }) => ({
          id,
          cells: [
            <bdi key="name">{name}</bdi>,
            <Text key="key" ff="monospace" size="sm" component="span">
              {hint}
            </Text>,
            <Badge key="state" color={stateColours[state]} miw="max-content">
              {state}
            </Badge>,
            <Time key="created" at={createdAt} />,
            timeOr('never', lastUsedAt),
            timeOr('never', expiresAt),
          ],
        }))}
      />
      {query.hasNextPage ? (
        <Button
          variant="default"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
          style={{ alignSelf: 'flex-start' }}
        >
          Show more keys
        </Button>
      ) : null}
    </>
  )
}
