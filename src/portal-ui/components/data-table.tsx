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
  /**
   * On a phone, where the cells of other columns share a line as "label value":
   * `beside` the row's name, or `below` it on its own line, both without a label.
   * Columns without a header are next to the name, too.
   */
  readonly narrow?: 'beside' | 'below'
}

/**
 * A table with rows of 40 px in a card. On a phone each row becomes a few lines: its
 * first cell and the cells next to it, then the rest as "label value · label value".
 */
export function DataTable({ label, columns, children }: DataTableProps) {
  return (
    // A region that scrolls must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={classes['scroll']} aria-label={label} tabIndex={0}>
      <Table className={classes['table'] ?? ''} style={narrowForm(columns)}>
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

/** What the stylesheet cannot know of each column: its label and its line. */
function narrowForm(columns: readonly DataColumn[]): Record<`--${string}`, string | number> {
  return Object.fromEntries(
    columns.flatMap(({ label, narrow }, index) => {
      const place = index === 0 || label === '' ? 'beside' : narrow
      return [
        [`--label-${index + 1}`, place === undefined ? JSON.stringify(label) : 'none'],
        [`--order-${index + 1}`, place === 'beside' ? -1 : place === 'below' ? 1 : 2],
      ]
    }),
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

/** A cell without a value, which a phone leaves out. */
export function EmptyCell() {
  return <Table.Td className={classes['nothing'] ?? ''}>–</Table.Td>
}

/** The cell of a number. @param value undefined: the cell is empty */
export function NumberCell({ value }: { readonly value: string | undefined }) {
  return (
    <Table.Td data-number className={value === undefined ? (classes['nothing'] ?? '') : ''}>
      {value ?? '–'}
    </Table.Td>
  )
}
