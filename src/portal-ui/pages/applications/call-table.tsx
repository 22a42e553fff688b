import { Table } from '@mantine/core'
import type { KeyboardEvent } from 'react'
import type { CallRecord } from '../../../gateway/portal/schemas/usage.ts'
import { DataTable } from '../../components/data-table.tsx'
import { MethodBadge } from '../../components/method-badge.tsx'
import { StatusCode } from '../../components/status-code.tsx'
import { exactTime } from '../../components/time.tsx'
import { dateFormat } from '../../formats.ts'
import { milliseconds } from '../../in-words.ts'
import { t } from '../../words.ts'
import { callPath } from './call-words.ts'
import classes from './calls.module.css'

export interface CallTableProps {
  /** Newest first. */
  readonly records: readonly CallRecord[]
  readonly onOpen: (requestId: string) => void
}

/** Calls in rows of 36 px. Each row is one button; the arrow keys lead to the next one. */
export function CallTable({ records, onOpen }: CallTableProps) {
  return (
    <div className={classes['table']}>
      <DataTable
        label={t('calls.list')}
        columns={[
          { name: 'time', label: t('calls.time') },
          { name: 'method', label: t('calls.method') },
          { name: 'path', label: t('calls.path') },
          { name: 'version', label: t('calls.version') },
          { name: 'status', label: t('calls.status') },
          { name: 'took', label: t('calls.took'), isNumber: true },
          { name: 'id', label: t('calls.requestId') },
        ]}
      >
        {records.map((record) => (
          <Row key={`${record.requestId} ${record.at}`} record={record} onOpen={onOpen} />
        ))}
      </DataTable>
    </div>
  )
}

interface RowProps {
  readonly record: CallRecord
  readonly onOpen: (requestId: string) => void
}

function Row({ record, onOpen }: RowProps) {
  const { at, method, api, version, status, totalMs, requestId } = record
  return (
    <Table.Tr className={classes['row'] ?? ''}>
      <Table.Td className={classes['time'] ?? ''}>
        <bdi>
          <time dateTime={at} title={exactTime(at)}>
            {clock().format(new Date(at))}
          </time>
        </bdi>
      </Table.Td>
      <Table.Td>
        <MethodBadge method={method} />
      </Table.Td>
      <Table.Td className={classes['path'] ?? ''}>
        <button
          type="button"
          className={classes['open']}
          dir="ltr"
          data-request={requestId}
          onClick={() => onOpen(requestId)}
          onKeyDown={moveFocus}
        >
          {callPath(record)}
        </button>
      </Table.Td>
      <Table.Td className={classes['version'] ?? ''}>
        <bdi dir="ltr">{api === null || version === null ? '–' : `${api} ${version}`}</bdi>
      </Table.Td>
      <Table.Td>
        <StatusCode status={status} />
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
