import { Button, Group, SegmentedControl, Stack, Table, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type {
  AvailabilityAnswer,
  AvailabilityIndicators,
} from '../../../portal/api/schemas/availability.ts'
import { useApis } from '../../api/catalogue.ts'
import { availabilityFile, type Quarter, useAvailability } from '../../api/operator.ts'
import { DataTable, NumberCell } from '../../components/data-table.tsx'
import { Day } from '../../components/day.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { Time } from '../../components/time.tsx'
import { milliseconds, wholeNumber } from '../../in-words.ts'
import { versionTitle } from '../../published.ts'
import { pageLocale, t } from '../../words.ts'
import { hasFigures, percentage } from './availability-words.ts'
import { DaySquares } from './day-squares.tsx'
import classes from './operator.module.css'

const quarters = ['current', 'last'] as const

/** Uptime, errors and response times of each API version, as the bank reports them. */
export function AvailabilitySection() {
  const [quarter, setQuarter] = useState<Quarter>('current')
  const availability = useAvailability(quarter)
  const { data } = availability
  return (
    <Stack gap="xl">
      <Text c="dimmed">{t('availability.means')}</Text>
      <Group justify="space-between" gap="sm">
        <SegmentedControl
          value={quarter}
          onChange={(value) => setQuarter(value === 'last' ? 'last' : 'current')}
          data={quarters.map((value) => ({ value, label: t(`availability.${value}`) }))}
          aria-label={t('availability.quarter')}
          maw="24rem"
        />
        <Button component="a" href={availabilityFile(quarter)} download variant="default">
          {t('availability.download')}
        </Button>
      </Group>
      <QueryState query={availability} />
      {data === undefined ? null : (
        <>
          <Stack gap="sm" component="section">
            <Title order={2}>{t('availability.inAll')}</Title>
            <DaySquares days={data.days} quarters={data.quarters} />
            <Indicators rows={data.quarters} label={t('availability.inAll')} />
          </Stack>
          <Stack gap="sm" component="section">
            <Title order={2}>{t('availability.outages')}</Title>
            <Outages items={data.outages} />
          </Stack>
          <details className={classes['asTable']}>
            <summary>{t('availability.byDay')}</summary>
            <Indicators
              rows={data.days.filter(hasFigures).toReversed()}
              label={t('availability.byDay')}
            />
          </details>
        </>
      )}
    </Stack>
  )
}

function Indicators(props: {
  readonly rows: readonly AvailabilityIndicators[]
  readonly label: string
}) {
  const { rows, label } = props
  const { data: apis } = useApis()
  return (
    <DataTable
      label={label}
      columns={[
        { name: 'version', label: t('availability.version') },
        { name: 'period', label: t('availability.period'), narrow: 'beside' },
        { name: 'uptime', label: t('availability.uptime'), isNumber: true },
        { name: 'unplanned', label: t('availability.unplanned'), isNumber: true },
        { name: 'planned', label: t('availability.planned'), isNumber: true },
        { name: 'calls', label: t('overview.calls'), isNumber: true },
        { name: 'errors', label: t('availability.errors'), isNumber: true },
        { name: 'first', label: t('availability.firstByte'), isNumber: true },
        { name: 'last', label: t('availability.lastByte'), isNumber: true },
      ]}
    >
      {rows.map((row) => (
        <Table.Tr key={`${row.period} ${row.api} ${row.version}`}>
          <Table.Td>
            <bdi>{versionTitle(apis, row)}</bdi>
          </Table.Td>
          <Table.Td>
            {row.period.includes('Q') ? <bdi>{row.period}</bdi> : <Day date={row.period} />}
          </Table.Td>
          <NumberCell value={hasFigures(row) ? percentage(row.uptimePercent) : undefined} />
          <Table.Td data-number>{seconds(row.unplannedSeconds)}</Table.Td>
          <Table.Td data-number>{seconds(row.plannedSeconds)}</Table.Td>
          <Table.Td data-number>{wholeNumber(row.requests)}</Table.Td>
          <NumberCell value={known(row.errorPercent, percentage)} />
          <NumberCell value={known(row.firstByteMs, milliseconds)} />
          <NumberCell value={known(row.lastByteMs, milliseconds)} />
        </Table.Tr>
      ))}
    </DataTable>
  )
}

function known(value: number | null, inWords: (value: number) => string): string | undefined {
  return value === null ? undefined : inWords(value)
}

function Outages({ items }: { readonly items: AvailabilityAnswer['outages'] }) {
  const { data: apis } = useApis()
  if (items.length === 0) {
    return <EmptyState title={t('availability.noOutage')}>{t('availability.rule')}</EmptyState>
  }
  return (
    <DataTable
      label={t('availability.outages')}
      columns={[
        { name: 'version', label: t('availability.version') },
        { name: 'from', label: t('availability.from'), narrow: 'beside' },
        { name: 'until', label: t('availability.until') },
        { name: 'seconds', label: t('availability.seconds'), isNumber: true },
        { name: 'planned', label: t('availability.planned'), isNumber: true },
        { name: 'calls', label: t('availability.unanswered'), isNumber: true },
        { name: 'applications', label: t('operator.applications'), isNumber: true },
        { name: 'series', label: t('availability.series'), narrow: 'below' },
      ]}
    >
      {items.map((item) => (
        <Table.Tr key={`${item.from} ${item.api} ${item.version}`}>
          <Table.Td>
            <bdi>{versionTitle(apis, item)}</bdi>
          </Table.Td>
          <Table.Td>
            <Time at={item.from} isPrecise />
          </Table.Td>
          <Table.Td>
            {item.until === null ? t('availability.goesOn') : <Time at={item.until} isPrecise />}
          </Table.Td>
          <Table.Td data-number>{seconds(item.seconds)}</Table.Td>
          <Table.Td data-number>{seconds(item.plannedSeconds)}</Table.Td>
          <Table.Td data-number>{wholeNumber(item.calls)}</Table.Td>
          <Table.Td data-number>{wholeNumber(item.applications)}</Table.Td>
          <Table.Td>
            {item.series.map(({ id }) => (
              <div key={id}>
                <code dir="ltr">{id}</code>
              </div>
            ))}
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  )
}

function seconds(value: number): string {
  return value.toLocaleString(pageLocale(), { maximumFractionDigits: 3 })
}
