import { Table, Text } from '@mantine/core'
import type { ReplayedOperation } from '../../../gateway/portal/schemas/moves.ts'
import { DataTable } from '../../components/data-table.tsx'
import { MethodBadge } from '../../components/method-badge.tsx'
import { Pill } from '../../components/pill.tsx'
import { wholeNumber } from '../../in-words.ts'
import { t } from '../../words.ts'

/** What the recorded calls to each operation would meet, and what to call instead. */
export function ReplayTable({ operations }: { readonly operations: readonly ReplayedOperation[] }) {
  if (operations.length === 0) return null
  return (
    <DataTable
      label={t('move.operations')}
      columns={[
        { name: 'operation', label: t('move.operation') },
        { name: 'calls', label: t('move.callsHead'), isNumber: true },
        { name: 'work', label: t('move.work'), isNumber: true },
        { name: 'meets', label: t('move.meets') },
      ]}
    >
      {operations.map((operation) => (
        <Table.Tr key={operation.id}>
          <Table.Td>
            <bdi>{operation.summary}</bdi>
          </Table.Td>
          <Table.Td data-number>{wholeNumber(operation.calls)}</Table.Td>
          <Table.Td data-number>{wholeNumber(operation.allowed)}</Table.Td>
          <Table.Td style={{ whiteSpace: 'normal' }}>
            <Meets operation={operation} />
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  )
}

function Meets({ operation }: { readonly operation: ReplayedOperation }) {
  const { refusals, instead, note, changes } = operation
  const breaking = changes.filter(({ isBreaking }) => isBreaking)
  return (
    <>
      {refusals.map(({ code, status, calls, because }) => (
        <Text size="sm" key={code}>
          <Pill tone={because === 'version' ? 'bad' : 'warn'}>
            <bdi>
              {status} {code}
            </bdi>
          </Pill>{' '}
          {t(`move.because.${because}`, { count: calls })}
        </Text>
      ))}
      {note === null ? null : (
        <Text size="sm" maw="32rem" lang="en" dir="auto">
          {note}
        </Text>
      )}
      {instead.length === 0 ? null : (
        <>
          <Text size="sm">{t('move.instead')}</Text>
          {instead.map(({ id, method, template, summary }) => (
            <Text size="sm" key={id} component="div">
              <MethodBadge method={method} isPlain /> <code dir="ltr">{template}</code>{' '}
              <bdi>{summary}</bdi>
            </Text>
          ))}
        </>
      )}
      {breaking.length === 0 ? null : (
        <Text size="sm">
          {t('move.check')}{' '}
          <bdi lang="en">
            {breaking.map(({ where, message }) => `${where}: ${message}`).join('; ')}
          </bdi>
        </Text>
      )}
    </>
  )
}
