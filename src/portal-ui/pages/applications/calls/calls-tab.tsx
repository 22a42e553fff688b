// This folder shows the calls of an application. This tab lists single calls, and `call-story.tsx` tells what became of
// one, stage by stage. `usage-tab.tsx` is the tab of limits and past calls, with `history-section.tsx`.

import { Button, Switch, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import { useCallList } from '../../../api/calls.ts'
import type { CallFilter } from '../../../calls/call-filter.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { QueryState } from '../../../components/query-state.tsx'
import { HeadingActions } from '../../../layout/heading-actions.tsx'
import { t } from '../../../words.ts'
import { CallDrawer } from './call-drawer.tsx'
import { CallFilters } from './call-filters.tsx'
import { CallTable } from './call-table.tsx'
import classes from './calls.module.css'

/** The name in the address of the call whose story shows. */
const shownName = 'request'

/** The latest calls in rows, with filters; each opens its story. */
export function CallsTab({ applicationId }: { readonly applicationId: string }) {
  const [search, setSearch] = useSearchParams()
  const [filter, setFilter] = useState<CallFilter>({})
  const [isLive, setIsLive] = useState(true)
  const list = useRef<HTMLDivElement>(null)
  const calls = useCallList(applicationId, filter, isLive)
  const records = calls.data?.pages.flatMap(({ items }) => items) ?? []
  const isFiltered = Object.keys(filter).length > 0
  const shown = search.get(shownName) ?? undefined

  const show = (requestId: string | undefined) =>
    setSearch((before) => {
      const next = new URLSearchParams(before)
      if (requestId === undefined) next.delete(shownName)
      else next.set(shownName, requestId)
      return next
    })
  const close = () => {
    const row = list.current?.querySelector<HTMLElement>(`[data-request="${shown}"]`)
    show(undefined)
    // Opened by its address, the story has no row or field to give the focus back to.
    requestAnimationFrame(() => (row ?? list.current)?.focus())
  }

  return (
    <div className={classes['calls']}>
      <HeadingActions>
        <Switch
          label={t('calls.live')}
          checked={isLive}
          onChange={(event) => setIsLive(event.currentTarget.checked)}
        />
      </HeadingActions>
      <CallFilters
        applicationId={applicationId}
        filter={filter}
        onFilter={setFilter}
        onLookUp={show}
      />
      <div ref={list} tabIndex={-1} className={classes['list']}>
        <QueryState query={calls} label={t('calls.loading')} />
        {calls.data !== undefined && records.length === 0 ? (
          <EmptyState title={t(isFiltered ? 'calls.noneFit' : 'calls.none')}>
            {t(isFiltered ? 'calls.noneFitWhy' : 'calls.noneYet')}
          </EmptyState>
        ) : null}
        {records.length === 0 ? null : <CallTable records={records} onOpen={show} />}
      </div>
      {calls.hasNextPage ? (
        <Button
          variant="default"
          loading={calls.isFetchingNextPage}
          onClick={() => {
            // Older calls move while newer ones arrive.
            setIsLive(false)
            void calls.fetchNextPage()
          }}
        >
          {t('calls.older')}
        </Button>
      ) : null}
      <Text size="sm" c="dimmed">
        {t('calls.kept')}
      </Text>
      <CallDrawer applicationId={applicationId} requestId={shown} onClose={close} />
    </div>
  )
}
