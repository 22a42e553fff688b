import { Switch, Table } from '@mantine/core'
import { useState } from 'react'
import type { History, HistoryPoint } from '../../../../portal/api/schemas/usage.ts'
import { DataTable, NumberCell } from '../../../components/data-table.tsx'
import { stepName } from '../../../components/step-label.ts'
import { milliseconds, wholeNumber } from '../../../in-words.ts'
import { t } from '../../../words.ts'
import classes from '../applications.module.css'

/** The numbers of the plot, newest first; steps without calls only on request. */
export function HistoryTable({ history }: { readonly history: History }) {
  const [withEmpty, setWithEmpty] = useState(false)
  const shown = history.items
    .filter(({ admitted, refused }) => withEmpty || admitted + refused > 0)
    .toReversed()
  const isByDay = history.step === 'day'
  return (
    <details className={classes['details']}>
      <summary>{t(isByDay ? 'usage.numbersByDay' : 'usage.numbersByHour')}</summary>
      <Switch
        label={t(isByDay ? 'usage.showEmptyDays' : 'usage.showEmptyHours')}
        checked={withEmpty}
        onChange={(event) => setWithEmpty(event.currentTarget.checked)}
        my="xs"
      />
      <DataTable
        label={t('usage.numbers')}
        columns={[
          { name: 'at', label: t(isByDay ? 'usage.dayUtc' : 'usage.hour') },
          { name: 'forwarded', label: t('usage.forwarded'), isNumber: true },
          { name: 'clientErrors', label: t('usage.clientErrors'), isNumber: true },
          { name: 'errors', label: t('usage.serverErrors'), isNumber: true },
          { name: 'refused', label: t('usage.refused'), isNumber: true },
          { name: 'p50', label: t('usage.p50'), isNumber: true },
          { name: 'p95', label: t('usage.p95'), isNumber: true },
          { name: 'longest', label: t('usage.longest'), isNumber: true },
        ]}
      >
        {shown.map((point) => (
          <Row key={point.at} point={point} name={stepName(history, point.at)} />
        ))}
      </DataTable>
    </details>
  )
}

function Row({ point, name }: { readonly point: HistoryPoint; readonly name: string }) {
  const { admitted, refused, errors, clientErrors, p50Ms, p95Ms, maxMs } = point
  return (
    <Table.Tr>
      <Table.Td>{name}</Table.Td>
      <Table.Td data-number>{wholeNumber(admitted)}</Table.Td>
      <Table.Td data-number>{wholeNumber(clientErrors)}</Table.Td>
      <Table.Td data-number>{wholeNumber(errors)}</Table.Td>
      <Table.Td data-number>{wholeNumber(refused)}</Table.Td>
      <NumberCell value={timeOf(p50Ms)} />
      <NumberCell value={timeOf(p95Ms)} />
      <NumberCell value={timeOf(maxMs)} />
    </Table.Tr>
  )
}

function timeOf(ms: number | null): string | undefined {
  return ms === null ? undefined : milliseconds(ms)
}
