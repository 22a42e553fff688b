import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './data-table.module.css'

export interface DataTableProps {
  /** Names the table for screen readers. */
  readonly label: string
  readonly columns: readonly DataColumn[]
  /** Rows of the table (`<Table.Tr>`), one cell for each column. */
  readonly children: ReactNode
}

export interface DataColumn {
  /** Unique in the table. */
  readonly name: string
  /** Empty for a column that speaks for itself; it has no header then. */
  readonly label: string
  /** Numbers end at the same edge. */
  readonly isNumber?: boolean
}

/** A table with rows of 40 px in a card; it scrolls sideways by itself on a narrow screen. */
export function DataTable({ label, columns, children }: DataTableProps) {
  return (
    // A region that scrolls must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={classes['scroll']} aria-label={label} tabIndex={0}>
      <Table className={classes['table'] ?? ''}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name, label, isNumber = false }) =>
              label === '' ? (
                <Table.Td key={name} />
              ) : (
                <Table.Th key={name} scope="col" data-number={isNumber || undefined}>
                  {label}
                </Table.Th>
              ),
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </section>
  )
}

/** The cell that names its row; long names wrap. */
export function RowName({ children }: { readonly children: ReactNode }) {
  return (
    <Table.Th scope="row" className={classes['rowName'] ?? ''}>
      {children}
    </Table.Th>
  )
}

/** The last cell, for a menu: in sight however far the table is scrolled. */
export function RowActions({ children }: { readonly children: ReactNode }) {
  return <Table.Td className={classes['rowActions'] ?? ''}>{children}</Table.Td>
}
