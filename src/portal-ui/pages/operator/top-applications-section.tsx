import { SegmentedControl, Stack, Table, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { TopApplications } from '../../../portal/api/schemas/operator.ts'
import { useApis } from '../../api/catalogue.ts'
import { useTopApplications } from '../../api/operator.ts'
import { DataTable } from '../../components/data-table.tsx'
import { DocumentText } from '../../components/document-text.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { Time } from '../../components/time.tsx'
import { wholeNumber } from '../../in-words.ts'
import { limitOfVersion, summaryOfOperation } from '../../published.ts'
import { t } from '../../words.ts'
import { ApplicationCell } from './application-cell.tsx'

const spans = ['hour', 'day'] as const
type Span = (typeof spans)[number]

/** Applications with the most calls, and those that will soon reach a limit. */
export function TopApplicationsSection() {
  const [span, setSpan] = useState<Span>('day')
  const top = useTopApplications()
  const { data } = top
  if (data === undefined) return <QueryState query={top} />
  return (
    <Stack gap="xl">
      <QueryState query={top} />
      <Stack gap="sm" component="section">
        <Title order={2}>{t('top.usedUp')}</Title>
        <UsedUp items={data.usedUp} />
      </Stack>
      <Stack gap="sm" component="section">
        <Title order={2}>{t('top.callers')}</Title>
        <SegmentedControl
          value={span}
          onChange={(value) => setSpan(value === 'hour' ? 'hour' : 'day')}
          data={spans.map((value) => ({ value, label: t(`top.${value}`) }))}
          aria-label={t('refusals.howFar')}
          maw="24rem"
        />
        <Callers items={data[span]} />
      </Stack>
    </Stack>
  )
}

function UsedUp({ items }: { readonly items: TopApplications['usedUp'] }) {
  if (items.length === 0) {
    return <EmptyState title={t('top.noneUsedUp')}>{t('top.noneUsedUpHelp')}</EmptyState>
  }
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('top.usedUpMeans')}
      </Text>
      <DataTable
        label={t('top.usedUp')}
        columns={[
          { name: 'application', label: t('operator.application') },
          { name: 'version', label: t('top.countedFor') },
          { name: 'share', label: t('top.used'), isNumber: true },
          { name: 'calls', label: t('top.usedOf'), isNumber: true },
          { name: 'resets', label: t('top.resets') },
        ]}
      >
        {items.map((item) => (
          <Table.Tr
            key={`${item.applicationId} ${item.api} ${item.version} ${item.operation} ${item.limitName}`}
          >
            <ApplicationCell application={item} />
            <Table.Td>
              <Counted item={item} />
            </Table.Td>
            <Table.Td data-number>{share(item.used, item.limit)}</Table.Td>
            <Table.Td data-number>
              {t('top.ofLimit', { used: item.used, limit: item.limit })}
            </Table.Td>
            <Table.Td>
              <Time at={item.resetsAt} />
            </Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
    </>
  )
}

/** What a limit counts: calls to an operation, or all calls to a version. */
function Counted({ item }: { readonly item: TopApplications['usedUp'][number] }) {
  const { data: apis } = useApis()
  const { api, version, operation, limitName: limit } = item
  const known = operation === null ? undefined : { id: operation, summary: operation }
  return (
    <>
      <bdi>{limitOfVersion(apis, { api, version, limit })}</bdi>
      <Text size="xs" c="dimmed">
        {known === undefined ? (
          t('limit.allOperations')
        ) : (
          <DocumentText text={summaryOfOperation(apis, api, known)} />
        )}
      </Text>
    </>
  )
}

function Callers({ items }: { readonly items: TopApplications['hour'] }) {
  if (items.length === 0) {
    return <EmptyState title={t('top.noCalls')}>{t('top.noCallsHelp')}</EmptyState>
  }
  return (
    <DataTable
      label={t('top.callers')}
      columns={[
        { name: 'application', label: t('operator.application') },
        { name: 'calls', label: t('overview.calls'), isNumber: true },
        { name: 'allowed', label: t('overview.allowed'), isNumber: true },
        { name: 'refused', label: t('overview.refused'), isNumber: true },
        { name: 'errors', label: t('overview.errors'), isNumber: true },
      ]}
    >
      {items.map((item) => (
        <Table.Tr key={item.applicationId}>
          <ApplicationCell application={item} />
          <Table.Td data-number>{wholeNumber(item.admitted + item.refused)}</Table.Td>
          <Table.Td data-number>{wholeNumber(item.admitted)}</Table.Td>
          <Table.Td data-number>{wholeNumber(item.refused)}</Table.Td>
          <Table.Td data-number>{wholeNumber(item.errors)}</Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  )
}

/** A limit of 0 is used up. */
function share(used: number, limit: number): string {
  return t('refusals.percent', { share: limit === 0 ? 1 : used / limit })
}
