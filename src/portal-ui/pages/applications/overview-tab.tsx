import { useRef } from 'react'
import type { History, UsageCounts } from '../../../portal/api/schemas/usage.ts'
import { useLatestCalls } from '../../api/calls.ts'
import { useHistory } from '../../api/usage.ts'
import { Figure, Figures } from '../../components/figure.tsx'
import { HistoryPlot, PlotLegend } from '../../components/history-plot.tsx'
import { historySentence } from '../../components/history-sentence.ts'
import { QueryState } from '../../components/query-state.tsx'
import { SectionCard } from '../../components/section-card.tsx'
import { milliseconds, percent, wholeNumber } from '../../in-words.ts'
import { t } from '../../words.ts'
import { HistoryTable } from './calls/history-table.tsx'
import { LatestCalls } from './calls/latest-calls.tsx'
import { LimitsNow } from './limits/limits-now.tsx'
import classes from './overview.module.css'
import type { PageMemory } from './page-memory.ts'
import { BeforeFirstCall } from './try/before-first-call.tsx'
import { CheckList } from './try/check-list.tsx'
import { NextStep } from './try/next-step.tsx'

export interface OverviewTabProps {
  readonly applicationId: string
  readonly memory: PageMemory
}

/** The last day of an application: four figures, a plot, limits, the latest calls and what to do next. */
export function OverviewTab({ applicationId, memory }: OverviewTabProps) {
  const history = useHistory(applicationId, { span: '24h' })
  const before = useHistory(applicationId, { span: '24h', isBefore: true })
  const latest = useLatestCalls(applicationId)
  const place = useRef<HTMLDivElement>(null)
  const shown = [history.data?.total, before.data?.total]
  const isUnused = shown.every((total) => total !== undefined && callsOf(total) === 0)
  if (isUnused && latest.data?.items.length === 0) {
    return <BeforeFirstCall applicationId={applicationId} memory={memory} />
  }
  return (
    <>
      <NextStep applicationId={applicationId} tab="overview" />
      <QueryState query={history} label={t('usage.loadingHistory')} />
      {history.data === undefined ? null : (
        <div className={classes['figures']}>
          <DayFigures total={history.data.total} before={comparable(before.data?.total)} />
        </div>
      )}
      <div className={classes['columns']} ref={place} tabIndex={-1}>
        <div className={classes['column']}>
          {history.data === undefined ? null : <DayPlot history={history.data} />}
          <LatestCalls applicationId={applicationId} />
        </div>
        <div className={classes['column']}>
          <CheckList
            applicationId={applicationId}
            memory={memory}
            isEarly
            onHidden={() => place.current?.focus()}
          />
          <LimitsNow applicationId={applicationId} />
        </div>
      </div>
    </>
  )
}

interface DayFiguresProps {
  readonly total: UsageCounts
  /** Counts of the day before; undefined without calls or while loading. */
  readonly before: UsageCounts | undefined
}

function DayFigures({ total, before }: DayFiguresProps) {
  const calls = callsOf(total)
  return (
    <Figures>
      <Figure
        label={t('appOverview.calls')}
        value={wholeNumber(calls)}
        note={before === undefined ? null : <Change now={calls} before={callsOf(before)} />}
      />
      <Figure
        label={t('appOverview.succeeded')}
        value={total.admitted === 0 ? '–' : percent(successShare(total))}
        note={
          <Lines
            first={t('appOverview.failures', {
              clientErrors: total.clientErrors,
              serverErrors: total.errors,
            })}
            before={
              before === undefined || before.admitted === 0
                ? undefined
                : percent(successShare(before))
            }
          />
        }
      />
      <Figure
        label={t('appOverview.refused')}
        value={wholeNumber(total.refused)}
        note={
          <Lines
            first={
              total.refused === 0
                ? t('appOverview.noneRefused')
                : t('appOverview.refusedShare', {
                    share: percent(total.refused / calls),
                    count: total.refusedByLimit,
                  })
            }
            before={before && wholeNumber(before.refused)}
          />
        }
      />
      <Figure
        label={t('appOverview.p95')}
        value={total.p95Ms === null ? '–' : milliseconds(total.p95Ms)}
        note={
          <Lines
            first={
              total.p50Ms === null || total.p99Ms === null
                ? t('appOverview.noTimes')
                : t('appOverview.p50p99', {
                    p50: milliseconds(total.p50Ms),
                    p99: milliseconds(total.p99Ms),
                  })
            }
            before={before && (before.p95Ms === null ? undefined : milliseconds(before.p95Ms))}
          />
        }
      />
    </Figures>
  )
}

/** A line about the day, and the same figure of the day before. */
function Lines({
  first,
  before,
}: {
  readonly first: string
  readonly before?: string | undefined
}) {
  return (
    <>
      {first}
      {before === undefined ? null : <div>{t('appOverview.dayBefore', { value: before })}</div>}
    </>
  )
}

function Change({ now, before }: { readonly now: number; readonly before: number }) {
  const change = now / before - 1
  return (
    <Lines
      first={
        now === before
          ? t('appOverview.same')
          : t(change > 0 ? 'appOverview.more' : 'appOverview.fewer', {
              share: percent(Math.abs(change)),
            })
      }
      before={wholeNumber(before)}
    />
  )
}

function DayPlot({ history }: { readonly history: History }) {
  const { total } = history
  return (
    <SectionCard
      title={t('appOverview.plot')}
      action={callsOf(total) === 0 ? null : <PlotLegend />}
    >
      {callsOf(total) === 0 ? (
        t('appOverview.noCalls')
      ) : (
        <>
          <HistoryPlot history={history} label={historySentence(history)} />
          <HistoryTable history={history} />
        </>
      )}
    </SectionCard>
  )
}

/** A day without calls is nothing to compare with. */
function comparable(total: UsageCounts | undefined): UsageCounts | undefined {
  return total === undefined || callsOf(total) === 0 ? undefined : total
}

/** The part of the allowed calls that got a whole response with success; needs at least one. */
function successShare({ admitted, errors, answered }: UsageCounts): number {
  return Math.min(answered['2xx'] + answered['3xx'], admitted - errors) / admitted
}

function callsOf({ admitted, refused }: UsageCounts): number {
  return admitted + refused
}
