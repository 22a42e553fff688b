import { Button, Group, Stack, Text } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { Key, ReactNode } from 'react'
import { QueryState } from '../../components/query-state.tsx'
import classes from './operator.module.css'

export interface PagedListProps<Item> {
  readonly query: UseInfiniteQueryResult<{ pages: ReadonlyArray<{ items: readonly Item[] }> }>
  /** Singular and plural of an item: "developer", "developers". */
  readonly nouns: readonly [string, string]
  readonly keyOf: (item: Item) => Key
  readonly children: (item: Item) => ReactNode
  /** Replaces an empty list. */
  readonly empty: ReactNode
}

/** A list that loads page by page and announces its count. */
export function PagedList<Item>({ query, nouns, keyOf, children, empty }: PagedListProps<Item>) {
  if (query.data === undefined) return <QueryState query={query} />
  const items = query.data.pages.flatMap((page) => page.items)
  const counted = `${items.length} ${items.length === 1 ? nouns[0] : nouns[1]}`
  const said = query.hasNextPage ? `${counted} so far` : counted
  return (
    <Stack gap="md">
      <QueryState query={query} />
      {items.length === 0 ? (
        empty
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
        {query.hasNextPage ? (
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Show more
          </Button>
        ) : null}
        <Text size="sm" c="dimmed" role="status">
          {items.length === 0 ? '' : said}
        </Text>
      </Group>
    </Stack>
  )
}
