import { Table } from '@mantine/core'
import { Fragment, type KeyboardEvent } from 'react'
import type { CallRecord } from '../../../../portal/api/schemas/usage.ts'
import { useApis } from '../../../api/catalogue.ts'
import { DataTable } from '../../../components/data-table.tsx'
import { MethodBadge } from '../../../components/method-badge.tsx'
import { Pill } from '../../../components/pill.tsx'
import { StatusCode } from '../../../components/status-code.tsx'
import { exactTime } from '../../../components/time.tsx'
import { dateFormat } from '../../../formats.ts'
import { milliseconds } from '../../../in-words.ts'
import { t } from '../../../words.ts'
import { callPath, callTitle } from './call-words.ts'
import classes from './calls.module.css'

export interface CallTableProps {
  /** Newest first. */
  readonly records: readonly CallRecord[]
  readonly onOpen: (requestId: string) => void
}

/**
 * Calls in rows of 36 px, with a row for each day but today. Each row is one button;
 * the arrow keys lead to the next one.
 */
export function CallTable({ records, onOpen }: CallTableProps) {
  const today = dayOf(new Date().toISOString())
  return (
    <div className={classes['table']}>
      <DataTable
        label={t('calls.list')}
        columns={[
          { name: 'time', label: t('calls.time') },
          { name: 'method', label: t('calls.method') },
          { name: 'operation', label: t('calls.operation') },
          { name: 'status', label: t('calls.status') },
          { name: 'took', label: t('calls.took'), isNumber: true },
          { name: 'id', label: t('calls.requestId') },
        ]}
      >
        {records.map((record, index) => {
          const day = dayOf(record.at)
          const before = records[index - 1]
          const isNewDay = day !== (before === undefined ? today : dayOf(before.at))
          return (
            <Fragment key={`${record.requestId} ${record.at}`}>
              {isNewDay ? (
                <Table.Tr className={classes['day'] ?? ''}>
                  <Table.Th scope="rowgroup" colSpan={6}>
                    {day}
                  </Table.Th>
                </Table.Tr>
              ) : null}
              <Row record={record} onOpen={onOpen} />
            </Fragment>
          )
        })}
      </DataTable>
    </div>
  )
}

interface RowProps {
  readonly record: CallRecord
  readonly onOpen: (requestId: string) => void
}

function Row({ record, onOpen }: RowProps) {
  const { at, method, status, totalMs, requestId, drill } = record
  const { data: apis } = useApis()
  const title = callTitle(record, apis)
  const path = callPath(record)
  return (
    <Table.Tr className={classes['row'] ?? ''}>
      <Table.Td className={classes['time'] ?? ''}>
        <bdi>
          <time dateTime={at} title={exactTime(at)}>
            {clock().format(new Date(at))}
          </time>
        </bdi>
      </Table.Td>
      <Table.Td className={classes['method'] ?? ''}>
        <MethodBadge method={method} />
      </Table.Td>
      <Table.Td className={classes['path'] ?? ''}>
        <button
          type="button"
          className={classes['open']}
          data-request={requestId}
          onClick={() => onOpen(requestId)}
          onKeyDown={moveFocus}
        >
          {title === undefined ? null : (
            <span className={classes['name']}>
              <bdi>{title}</bdi>{' '}
            </span>
          )}
          {path === undefined ? null : (
            <bdi
              dir="ltr"
              className={classes['address']}
              data-alone={title === undefined || undefined}
            >
              {path}
            </bdi>
          )}
        </button>
      </Table.Td>
      <Table.Td className={classes['status'] ?? ''}>
        <StatusCode status={status} />
        {drill === null ? null : (
          <>
            {' '}
            <Pill tone="neutral">{t('calls.drill')}</Pill>
          </>
        )}
      </Table.Td>
      <Table.Td data-number className={classes['took'] ?? ''}>
        {milliseconds(totalMs)}
      </Table.Td>
      <Table.Td className={classes['id'] ?? ''}>
        <bdi dir="ltr">{requestId.slice(0, 8)}</bdi>
      </Table.Td>
    </Table.Tr>
  )
}

/** With seconds: calls come close together. */
function clock(): Intl.DateTimeFormat {
  return dateFormat({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
}

/** The day of an instant in the reader's own time zone. */
function dayOf(at: string): string {
  return dateFormat({ weekday: 'long', day: 'numeric', month: 'long' }).format(new Date(at))
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const here = event.currentTarget
  const buttons = [...(here.closest('tbody')?.querySelectorAll('button') ?? [])]
  const next = buttons[buttons.findIndex((button) => button.isSameNode(here)) + step]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}
