import { Anchor, Table } from '@mantine/core'
import { DataTable } from '../components/data-table.tsx'
import { DocumentText } from '../components/document-text.tsx'
import { StatusCode } from '../components/status-code.tsx'
import { titleOfCode } from '../problem-words.ts'
import { t } from '../words.ts'
import type { EntryError } from './operation-entry.ts'
import classes from './reference.module.css'

/** The errors of an operation; each of the gateway's leads to its explanation. */
export function ErrorTable({ errors }: { readonly errors: readonly EntryError[] }) {
  if (errors.length === 0) return null
  return (
    <div>
      <h3 id="errors">{t('reference.errors')}</h3>
      <DataTable
        label={t('reference.errors')}
        columns={[
          { name: 'status', label: t('reference.status') },
          { name: 'code', label: t('reference.code'), narrow: 'below' },
          { name: 'meaning', label: t('reference.meaning'), narrow: 'below' },
        ]}
      >
        {errors.map(({ status, code, title, isOfGateway }) => (
          <Table.Tr key={`${status} ${code}`}>
            <Table.Td>
              {/^\d+$/.test(status) ? <StatusCode status={Number(status)} /> : <bdi>{status}</bdi>}
            </Table.Td>
            <Table.Td>
              {isOfGateway ? (
                <Anchor href={`/problems/${code}`} underline="always">
                  <code dir="ltr">{code}</code>
                </Anchor>
              ) : (
                <code dir="ltr">{code}</code>
              )}
            </Table.Td>
            <Table.Td className={classes['meaning'] ?? ''}>
              <DocumentText text={isOfGateway ? titleOfCode(code, title) : title} />
            </Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
    </div>
  )
}
