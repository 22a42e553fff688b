import { Button } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { t } from '../../words.ts'

type Pages = Pick<
  UseInfiniteQueryResult<unknown>,
  'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
>

/** Loads the next page of a list; nothing after the last one. */
export function MoreButton({ query }: { readonly query: Pages }) {
  if (!query.hasNextPage) return null
  return (
    <Button
      variant="default"
      loading={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
      style={{ alignSelf: 'flex-start' }}
    >
      {t('list.more')}
    </Button>
  )
}
