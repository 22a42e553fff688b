import { Table, Text } from '@mantine/core'
import type { ReplayedOperation } from '../../../../portal/api/schemas/moves.ts'
import { useApis } from '../../../api/catalogue.ts'
import { ChangeInWords } from '../../../components/change-in-words.tsx'
import { DataTable } from '../../../components/data-table.tsx'
import { DocumentText } from '../../../components/document-text.tsx'
import { MethodBadge } from '../../../components/method-badge.tsx'
import { Pill } from '../../../components/pill.tsx'
import { wholeNumber } from '../../../in-words.ts'
import { marksOf } from '../../../local-text.ts'
import { summaryOfOperation } from '../../../published.ts'
import { t } from '../../../words.ts'

export interface ReplayTableProps {
  readonly api: string
  readonly operations: readonly ReplayedOperation[]
}

/** The predicted result of the recorded calls to each operation, and what to call instead. */
export function ReplayTable({ api, operations }: ReplayTableProps) {
  const nameOf = useNames(api)
  if (operations.length === 0) return null
  return (
    <DataTable
      label={t('move.operations')}
      columns={[
        { name: 'operation', label: t('move.operation') },
        { name: 'calls', label: t('move.callsHead'), isNumber: true },
        { name: 'work', label: t('move.work'), isNumber: true },
        { name: 'meets', label: t('move.meets'), narrow: 'below' },
      ]}
    >
      {operations.map((operation) => (
        <Table.Tr key={operation.id}>
          <Table.Td>
            <DocumentText text={nameOf(operation)} />
          </Table.Td>
          <Table.Td data-number>{wholeNumber(operation.calls)}</Table.Td>
          <Table.Td data-number>{wholeNumber(operation.allowed)}</Table.Td>
          <Table.Td style={{ whiteSpace: 'normal' }}>
            <Meets api={api} operation={operation} />
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  )
}

interface MeetsProps {
  readonly api: string
  readonly operation: ReplayedOperation
}

function Meets({ api, operation }: MeetsProps) {
  const nameOf = useNames(api)
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
        <Text size="sm" maw="32rem" data-document {...marksOf(note)}>
          {note}
        </Text>
      )}
      {instead.length === 0 ? null : (
        <>
          <Text size="sm">{t('move.instead')}</Text>
          {instead.map((other) => (
            <Text size="sm" key={other.id} component="div">
              <MethodBadge method={other.method} isPlain /> <code dir="ltr">{other.template}</code>{' '}
              <DocumentText text={nameOf(other)} />
            </Text>
          ))}
        </>
      )}
      {breaking.length === 0 ? null : (
        <>
          <Text size="sm">{t('move.check')}</Text>
          {breaking.map((change) => (
            <Text size="sm" key={`${change.where} ${change.message}`} component="div">
              <ChangeInWords change={change} />
            </Text>
          ))}
        </>
      )}
    </>
  )
}

/** Names operations in the page's language. */
function useNames(api: string): (operation: Pick<ReplayedOperation, 'id' | 'summary'>) => string {
  const { data: apis } = useApis()
  return (operation) => summaryOfOperation(apis, api, operation)
}
