import { Anchor, Badge, Stack, Table, Text, Title } from '@mantine/core'
import { Link, useParams } from 'wouter'
import type { Key, Subscription } from '../../../gateway/portal/schemas/applications.ts'
import type { OperatedApplicationDetail } from '../../../gateway/portal/schemas/operator.ts'
import { isProblem } from '../../api/client.ts'
import { useOperatedApplication } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Slow } from '../../components/slow.tsx'
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
  const { data, error, refetch } = useOperatedApplication(id)
  if (isProblem(error, 'NOT_FOUND') || isProblem(error, 'INPUT_INVALID')) return <NotFoundPage />
  if (error !== null && data === undefined) {
    return (
      <Page title="Application">
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      </Page>
    )
  }
  return data === undefined ? <Slow /> : <Detail detail={data} />
}

function Detail({ detail }: { readonly detail: OperatedApplicationDetail }) {
  const { application, subscriptions, keys, overrides } = detail
  const { name, developerEmail, createdAt, suspendedAt, strict } = application
  return (
    <Page
      title={name}
      heading={<bdi>{name}</bdi>}
      lead={
        <Stack gap={6} align="flex-start">
          <span>
            of{' '}
            <Anchor
              component={Link}
              href={sectionPath('developers', developerEmail)}
              underline="always"
            >
              <bdi>{developerEmail}</bdi>
            </Anchor>
            , since <Time at={createdAt} />
          </span>
          {suspendedAt === null ? null : (
            <Badge variant="light" color="red">
              Suspended
            </Badge>
          )}
          {strict ? <Badge variant="light">Signed calls only</Badge> : null}
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
        <Keys items={keys} />
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
    <ScrollTable label="Subscriptions" head={['API', 'Version', 'Plan', 'Since', 'Ended']}>
      {items.map(({ id, api, version, plan, createdAt, endedAt }) => (
        <Table.Tr key={id}>
          <Table.Td>{api}</Table.Td>
          <Table.Td>{version}</Table.Td>
          <Table.Td>{plan}</Table.Td>
          <Table.Td>
            <Time at={createdAt} />
          </Table.Td>
          <Table.Td>{endedAt === null ? '–' : <Time at={endedAt} />}</Table.Td>
        </Table.Tr>
      ))}
    </ScrollTable>
  )
}

const stateColours: Readonly<Record<Key['state'], string>> = {
  active: 'green',
  replaced: 'amber',
  expired: 'gray',
  revoked: 'gray',
}

function Keys({ items }: { readonly items: readonly Key[] }) {
  if (items.length === 0) {
    return <EmptyState title="No API keys">Without a key this application cannot call.</EmptyState>
  }
  return (
    <ScrollTable
      label="API keys"
      head={['Name', 'Key', 'State', 'Created', 'Last used', 'Expires']}
    >
      {items.map(({ id, name, hint, state, createdAt, lastUsedAt, expiresAt }) => (
        <Table.Tr key={id}>
          <Table.Td>
            <bdi>{name}</bdi>
          </Table.Td>
          <Table.Td>
            <Text ff="monospace" size="sm" component="span">
              {hint}
            </Text>
          </Table.Td>
          <Table.Td>
            <Badge variant="light" color={stateColours[state]} miw="max-content">
              {state}
            </Badge>
          </Table.Td>
          <Table.Td>
            <Time at={createdAt} />
          </Table.Td>
          <Table.Td>{lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />}</Table.Td>
          <Table.Td>{expiresAt === null ? 'never' : <Time at={expiresAt} />}</Table.Td>
        </Table.Tr>
      ))}
    </ScrollTable>
  )
}
