import { Button, Group, Stack, Table, Title } from '@mantine/core'
import { Link, useParams } from 'wouter'
import type { Subscription } from '../../../portal/api/schemas/applications.ts'
import type { OperatedApplicationDetail } from '../../../portal/api/schemas/operator.ts'
import { useApis } from '../../api/catalogue.ts'
import { isProblem } from '../../api/client.ts'
import { useOperatedApplication, useOperatedKeys } from '../../api/operator.ts'
import { DataTable, EmptyCell, RowName } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { KeyCells, keyColumns } from '../../components/key-cells.tsx'
import { keyLabel } from '../../components/key-label.ts'
import { Message } from '../../components/message.tsx'
import { Pill } from '../../components/pill.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { ShortTime } from '../../components/short-time.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { Page } from '../../layout/page.tsx'
import { planTitle, versionTitle } from '../../published.ts'
import { t } from '../../words.ts'
import { ApplicationSuspension } from './application-suspension.tsx'
import { MoreButton } from './more-button.tsx'
import { Overrides } from './overrides.tsx'
import { OperatorFrame, sectionPath } from './section-links.tsx'

/** One application, for operators: its subscriptions, keys and limit overrides. */
export function OperatorApplicationPage() {
  const { id = '' } = useParams<{ id: string }>()
  const found = useOperatedApplication(id)
  const { data, error } = found
  if (isProblem(error, 'NOT_FOUND') || isProblem(error, 'INPUT_INVALID')) return <NotFoundPage />
  if (data !== undefined) return <Detail detail={data} />
  return (
    <OperatorFrame current="applications">
      <Page title={t('operator.application')} width="inner">
        <QueryState query={found} />
      </Page>
    </OperatorFrame>
  )
}

function Detail({ detail }: { readonly detail: OperatedApplicationDetail }) {
  const { application, subscriptions, overrides } = detail
  const { id, name, developerEmail, createdAt, suspendedAt, strict, redirectOrigins } = application
  return (
    <OperatorFrame current="applications">
      <Page
        title={name}
        width="inner"
        heading={<bdi>{name}</bdi>}
        lead={
          <Stack gap={6} align="flex-start">
            <span>
              <Message
                id="operator.ownerSince"
                values={{
                  email: (
                    <TextLink href={sectionPath('developers', { search: developerEmail })}>
                      <bdi>{developerEmail}</bdi>
                    </TextLink>
                  ),
                  time: <ShortTime at={createdAt} />,
                }}
              />
            </span>
            {redirectOrigins.length === 0 ? null : (
              <span>
                <Message
                  id="operator.redirectsTo"
                  values={{ origins: <bdi>{redirectOrigins.join(', ')}</bdi> }}
                />
              </span>
            )}
            {suspendedAt === null && !strict ? null : (
              <Group gap="xs">
                {suspendedAt === null ? null : (
                  <Pill tone="bad" hasDot>
                    {t('state.suspended')}
                  </Pill>
                )}
                {strict ? <Pill tone="accent">{t('operator.signedOnly')}</Pill> : null}
              </Group>
            )}
          </Stack>
        }
        actions={
          <>
            <Button
              component={Link}
              href={sectionPath('security-events', { party: `application:${id}` })}
              variant="default"
            >
              {t('operator.security-events')}
            </Button>
            <ApplicationSuspension application={application} />
          </>
        }
      >
        <Stack gap="xl" mt="sm">
          <Stack gap="sm" component="section">
            <Title order={2}>{t('overview.subscriptions')}</Title>
            <Subscriptions items={subscriptions} />
          </Stack>
          <Stack gap="sm" component="section">
            <Title order={2}>{t('operator.keys')}</Title>
            <Keys applicationId={id} />
          </Stack>
          <Overrides applicationId={id} items={overrides} subscriptions={subscriptions} />
        </Stack>
      </Page>
    </OperatorFrame>
  )
}

function Subscriptions({ items }: { readonly items: readonly Subscription[] }) {
  const { data: apis } = useApis()
  if (items.length === 0) {
    return (
      <EmptyState title={t('operator.noSubscriptions')}>
        {t('operator.noSubscriptionsMeans')}
      </EmptyState>
    )
  }
  const hasEnded = items.some(({ endedAt }) => endedAt !== null)
  return (
    <DataTable
      label={t('overview.subscriptions')}
      columns={[
        { name: 'version', label: t('fact.version') },
        { name: 'plan', label: t('plans.plan') },
        { name: 'since', label: t('operator.sinceHead') },
        ...(hasEnded ? [{ name: 'ended', label: t('operator.endedHead') }] : []),
      ]}
    >
      {items.map(({ id, api, version, plan, createdAt, endedAt }) => (
        <Table.Tr key={id}>
          <RowName>
            <bdi>{versionTitle(apis, { api, version })}</bdi>
          </RowName>
          <Table.Td>
            <bdi>{planTitle(apis, { api, version, plan })}</bdi>
          </Table.Td>
          <Table.Td>
            <ShortTime at={createdAt} />
          </Table.Td>
          {!hasEnded ? null : endedAt === null ? (
            <EmptyCell />
          ) : (
            <Table.Td>
              <ShortTime at={endedAt} />
            </Table.Td>
          )}
        </Table.Tr>
      ))}
    </DataTable>
  )
}

function Keys({ applicationId }: { readonly applicationId: string }) {
  const query = useOperatedKeys(applicationId)
  if (query.data === undefined) return <QueryState query={query} />
  const items = query.data.pages.flatMap((page) => page.items)
  if (items.length === 0) {
    return <EmptyState title={t('operator.noKeys')}>{t('operator.noKeysMeans')}</EmptyState>
  }
  return (
    <>
      <DataTable
        label={t('operator.keys')}
        columns={[{ name: 'name', label: t('account.name') }, ...keyColumns()]}
      >
        {items.map((key) => (
          <Table.Tr key={key.id}>
            <RowName>
              <bdi>{keyLabel(key, items)}</bdi>
            </RowName>
            <KeyCells apiKey={key} />
          </Table.Tr>
        ))}
      </DataTable>
      <MoreButton query={query} />
    </>
  )
}
