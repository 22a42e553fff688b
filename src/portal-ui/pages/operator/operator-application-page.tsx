import { Stack, Table, Text, Title } from '@mantine/core'
import { useParams } from 'wouter'
import type { Key, Subscription } from '../../../gateway/portal/schemas/applications.ts'
import type { OperatedApplicationDetail } from '../../../gateway/portal/schemas/operator.ts'
import { useApis } from '../../api/catalogue.ts'
import { isProblem } from '../../api/client.ts'
import { useOperatedApplication, useOperatedKeys } from '../../api/operator.ts'
import { DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Message } from '../../components/message.tsx'
import { Pill, type Tone } from '../../components/pill.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
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
                  time: <Time at={createdAt} />,
                }}
              />
            </span>
            <TextLink href={sectionPath('security-events', { party: `application:${id}` })}>
              {t('operator.security-events')}
            </TextLink>
            {suspendedAt === null ? null : (
              <Pill tone="bad" hasDot>
                {t('state.suspended')}
              </Pill>
            )}
            {strict ? <Pill tone="accent">{t('operator.signedOnly')}</Pill> : null}
            {redirectOrigins.length === 0 ? null : (
              <span>
                <Message
                  id="operator.redirectsTo"
                  values={{ origins: <bdi>{redirectOrigins.join(', ')}</bdi> }}
                />
              </span>
            )}
          </Stack>
        }
        actions={<ApplicationSuspension application={application} />}
      >
        <Stack gap="sm" component="section">
          <Title order={2}>{t('overview.subscriptions')}</Title>
          <Subscriptions items={subscriptions} />
        </Stack>
        <Stack gap="sm" component="section">
          <Title order={2}>{t('operator.keys')}</Title>
          <Keys applicationId={application.id} />
        </Stack>
        <Overrides applicationId={application.id} items={overrides} subscriptions={subscriptions} />
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
  return (
    <DataTable
      label={t('overview.subscriptions')}
      columns={[
        { name: 'version', label: t('fact.version') },
        { name: 'plan', label: t('plans.plan') },
        { name: 'since', label: t('operator.sinceHead') },
        { name: 'ended', label: t('operator.endedHead') },
      ]}
    >
      {items.map(({ id, api, version, plan, createdAt, endedAt }) => (
        <Table.Tr key={id}>
          <Table.Td>
            <bdi>{versionTitle(apis, { api, version })}</bdi>
          </Table.Td>
          <Table.Td>
            <bdi>{planTitle(apis, { api, version, plan })}</bdi>
          </Table.Td>
          <Table.Td>
            <Time at={createdAt} />
          </Table.Td>
          <Table.Td>{timeOr('–', endedAt)}</Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  )
}

function timeOr(otherwise: string, at: string | null) {
  return at === null ? otherwise : <Time at={at} />
}

const stateTones: Readonly<Record<Key['state'], Tone>> = {
  active: 'ok',
  replaced: 'warn',
  expired: 'neutral',
  revoked: 'neutral',
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
        columns={[
          { name: 'name', label: t('account.name') },
          { name: 'key', label: t('operator.keyHead'), narrow: 'below' },
          { name: 'state', label: t('operator.stateHead'), narrow: 'beside' },
          { name: 'created', label: t('operator.createdHead') },
          { name: 'used', label: t('operator.lastUsedHead') },
          { name: 'expires', label: t('operator.expiresHead') },
        ]}
      >
        {items.map(({ id, name, hint, state, createdAt, lastUsedAt, expiresAt }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <bdi>{name}</bdi>
            </Table.Td>
            <Table.Td>
              <Text ff="monospace" size="sm" component="bdi">
                {hint}
              </Text>
            </Table.Td>
            <Table.Td>
              <Pill tone={stateTones[state]} hasDot>
                {t(`operator.key.${state}`)}
              </Pill>
            </Table.Td>
            <Table.Td>
              <Time at={createdAt} />
            </Table.Td>
            <Table.Td>{timeOr(t('operator.never'), lastUsedAt)}</Table.Td>
            <Table.Td>{timeOr(t('operator.never'), expiresAt)}</Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
      <MoreButton query={query} />
    </>
  )
}
