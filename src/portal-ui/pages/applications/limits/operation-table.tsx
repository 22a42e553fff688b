import { Table } from '@mantine/core'
import type { History } from '../../../../portal/api/schemas/usage.ts'
import { useApis } from '../../../api/catalogue.ts'
import { DataTable, EmptyCell, NumberCell } from '../../../components/data-table.tsx'
import { milliseconds, percent, wholeNumber } from '../../../in-words.ts'
import { versionTitle } from '../../../published.ts'
import { t } from '../../../words.ts'
import { operationName } from '../operation-name.ts'

/** What was called: each operation of each version, most calls first. */
export function OperationTable({ history }: { readonly history: History }) {
  const { data: apis } = useApis()
  const rows = history.operations.toSorted(
    (a, b) => b.admitted + b.refused - (a.admitted + a.refused),
  )
  return (
    <DataTable
      label={t('usage.byOperation')}
      columns={[
        { name: 'operation', label: t('usage.operation') },
        { name: 'version', label: t('usage.version') },
        { name: 'calls', label: t('usage.calls'), isNumber: true },
        { name: 'refused', label: t('usage.refused'), isNumber: true },
        { name: 'clientErrors', label: t('usage.clientErrors'), isNumber: true },
        { name: 'errors', label: t('usage.serverErrors'), isNumber: true },
        { name: 'p50', label: t('usage.p50'), isNumber: true },
        { name: 'p95', label: t('usage.p95'), isNumber: true },
        { name: 'p99', label: t('usage.p99'), isNumber: true },
      ]}
    >
      {rows.map((total) => {
        const { api, version, operation, admitted, refused, errors, clientErrors } = total
        const calls = admitted + refused
        return (
          <Table.Tr key={`${api} ${version} ${operation}`}>
            <Table.Td>
              <bdi>{operationName(total, apis)}</bdi>
            </Table.Td>
            {api === null || version === null ? (
              <EmptyCell />
            ) : (
              <Table.Td>
                <bdi>{versionTitle(apis, { api, version })}</bdi>
              </Table.Td>
            )}
            <Table.Td data-number>{wholeNumber(calls)}</Table.Td>
            <NumberCell value={refused === 0 ? undefined : percent(refused / calls)} />
            <NumberCell value={clientErrors === 0 ? undefined : wholeNumber(clientErrors)} />
            <NumberCell value={errors === 0 ? undefined : wholeNumber(errors)} />
            {(['p50Ms', 'p95Ms', 'p99Ms'] as const).map((name) => (
              <NumberCell key={name} value={timeOf(total[name])} />
            ))}
          </Table.Tr>
        )
      })}
    </DataTable>
  )
}

function timeOf(ms: number | null): string | undefined {
  return ms === null ? undefined : milliseconds(ms)
}
