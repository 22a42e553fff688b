import { SegmentedControl, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { useRefusals } from '../../api/operator.ts'
import { DataTable, EmptyCell } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Message } from '../../components/message.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import { wholeNumber } from '../../in-words.ts'
import { t } from '../../words.ts'
import { ApplicationCell } from './application-cell.tsx'

const spans = ['24', '168', '720'] as const

/** Applications by refused calls, most refusals first. */
export function RefusalsSection() {
  const [hours, setHours] = useState<string>('24')
  const refusals = useRefusals(Number(hours))
  return (
    <Stack gap="lg">
      <SegmentedControl
        value={hours}
        onChange={setHours}
        data={spans.map((value) => ({ value, label: t(`refusals.${value}`) }))}
        aria-label={t('refusals.howFar')}
        maw="24rem"
      />
      <RefusedCalls query={refusals} />
    </Stack>
  )
}

function RefusedCalls({ query }: { readonly query: ReturnType<typeof useRefusals> }) {
  const { data } = query
  if (data === undefined) return <QueryState query={query} />
  return (
    <Stack gap="sm">
      <QueryState query={query} />
      <Text size="sm" c="dimmed" role="status">
        <Message
          id="refusals.period"
          values={{ from: <Time at={data.from} />, to: <Time at={data.to} /> }}
        />
      </Text>
      {data.items.length === 0 ? (
        <EmptyState title={t('refusals.none')}>{t('refusals.noneHelp')}</EmptyState>
      ) : (
        <DataTable
          label={t('refusals.table')}
          columns={[
            { name: 'application', label: t('operator.application') },
            { name: 'refused', label: t('overview.refused'), isNumber: true },
            { name: 'code', label: t('refusals.code') },
            { name: 'share', label: t('refusals.share'), isNumber: true },
            { name: 'forwarded', label: t('refusals.forwarded'), isNumber: true },
            { name: 'errors', label: t('overview.errors'), isNumber: true },
          ]}
        >
          {data.items.map((item) => (
            <Table.Tr key={item.applicationId}>
              <ApplicationCell application={item} />
              <Table.Td data-number>{wholeNumber(item.refused)}</Table.Td>
              {item.code === null ? (
                <EmptyCell />
              ) : (
                <Table.Td>
                  <TextLink href={`/problems/${item.code}`}>
                    <code dir="ltr">{item.code}</code>
                  </TextLink>
                </Table.Td>
              )}
              <Table.Td data-number>{share(item.refused, item.admitted + item.refused)}</Table.Td>
              <Table.Td data-number>{wholeNumber(item.admitted)}</Table.Td>
              <Table.Td data-number>{wholeNumber(item.errors)}</Table.Td>
            </Table.Tr>
          ))}
        </DataTable>
      )}
      <Text size="sm" c="dimmed">
        {t('refusals.errorsMean')}
      </Text>
    </Stack>
  )
}

function share(part: number, whole: number): string {
  if (whole === 0) return '–'
  const percent = (100 * part) / whole
  return percent > 0 && percent < 1
    ? t('refusals.below1')
    : t('refusals.percent', { share: percent / 100 })
}
