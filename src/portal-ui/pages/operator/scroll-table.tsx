import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './operator.module.css'

export interface ScrollTableProps {
  /** What it lists. */
  readonly label: string
  readonly head: readonly ReactNode[]
  /** The rows, as `Table.Tr`. */
  readonly children: ReactNode
}

/** A table that scrolls sideways if it does not fit; the keyboard reaches it. */
export function ScrollTable({ label, head, children }: ScrollTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to take the focus
    <section aria-label={label} tabIndex={0} className={classes['scroll']}>
      <Table verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            {head.map((title, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns of one table never move
              <Table.Th key={index} scope="col">
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </section>
  )
}
