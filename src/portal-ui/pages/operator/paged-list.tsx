import { Group, Stack, Text } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Fragment, type Key, type ReactNode } from 'react'
import type { MessageId } from '../../../messages/format.ts'
import { DataTable, type DataTableProps } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { t } from '../../words.ts'
import { MoreButton } from './more-button.tsx'
import classes from './operator.module.css'

export interface PagedListProps<Item> {
  readonly query: UseInfiniteQueryResult<{ pages: ReadonlyArray<{ items: readonly Item[] }> }>
  /** Message with `count`, and `more`: whether there are more to load. */
  readonly counted: MessageId
  readonly keyOf: (item: Item) => Key
  /** An entry of the list, or the row of the table. */
  readonly children: (item: Item) => ReactNode
  /** Label and columns of a table; undefined for a list. */
  readonly table?: Pick<DataTableProps, 'label' | 'columns'>
  /** Replaces an empty list. */
  readonly empty: ReactNode
}

/** A list that loads page by page and announces its count. */
export function PagedList<Item>(props: PagedListProps<Item>) {
  const { query, counted, keyOf, children, table, empty } = props
  if (query.data === undefined) return <QueryState query={query} />
  const items = query.data.pages.flatMap((page) => page.items)
  const said = t(counted, { count: items.length, more: query.hasNextPage ? 'yes' : 'no' })
  return (
    <Stack gap="md">
      <QueryState query={query} />
      {items.length === 0 ? (
        empty
      ) : table !== undefined ? (
        <DataTable {...table}>
          {items.map((item) => (
            <Fragment key={keyOf(item)}>{children(item)}</Fragment>
          ))}
        </DataTable>
      ) : (
        <ul className={classes['list']}>
          {items.map((item) => (
            <li key={keyOf(item)} className={classes['row']}>
              {children(item)}
            </li>
          ))}
        </ul>
      )}
      <Group gap="md">
        <MoreButton query={query} />
        <Text size="sm" c="dimmed" role="status">
          {items.length === 0 ? '' : said}
        </Text>
      </Group>
    </Stack>
  )
}
