import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { t } from '../../words.ts'
import classes from './operator.module.css'
import { SearchField } from './search-field.tsx'

const hour = 3_600_000
const hoursOf = { day: 24, week: 7 * 24, month: 30 * 24 } as const
const periods = ['all', 'day', 'week', 'month', 'range'] as const

/** What the page's address says: `period=day`, or times with `from` and `until`. */
export function usePeriod() {
  const [params] = useSearchParams()
  // The page asks for the same period until the operator comes again.
  const [now] = useState(() => Date.now())
  const [from, until] = [params.get('from') ?? '', params.get('until') ?? '']
  const named = periods.find((period) => period === params.get('period'))
  const period = named ?? (from === '' && until === '' ? 'all' : 'range')
  if (period === 'all') return { period, from: '', until: '' }
  if (period === 'range') return { period, from, until }
  return { period, from: new Date(now - hoursOf[period] * hour).toISOString(), until: '' }
}

/** Chooses a period. */
export function PeriodField() {
  const { period } = usePeriod()
  const [, setParams] = useSearchParams()
  const choose = (chosen: string) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        for (const member of ['period', 'from', 'until']) after.delete(member)
        if (chosen !== 'all') after.set('period', chosen)
        return after
      },
      { replace: true },
    )
  return (
    <NativeSelect
      label={t('events.period')}
      data={periods.map((value) => ({ value, label: t(`events.period.${value}`) }))}
      value={period}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    />
  )
}

/** The times of a period between two moments. */
export function PeriodTimes() {
  const { period } = usePeriod()
  if (period !== 'range') return null
  const description = t('overrides.localTime')
  return (
    <div className={classes['filters']}>
      <SearchField member="from" kind="moment" label={t('events.from')} description={description} />
      <SearchField
        member="until"
        kind="moment"
        label={t('plans.until')}
        description={description}
      />
    </div>
  )
}
