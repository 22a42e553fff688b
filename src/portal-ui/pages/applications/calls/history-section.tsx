import { Button, NativeSelect, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import type { History, LiveUsage } from '../../../../portal/api/schemas/usage.ts'
import { useApis } from '../../../api/catalogue.ts'
import { type HistorySpan, historyFile, useHistory, useLiveUsage } from '../../../api/usage.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Figure, Figures } from '../../../components/figure.tsx'
import { HistoryPlot, PlotLegend } from '../../../components/history-plot.tsx'
import { historySentence } from '../../../components/history-sentence.ts'
import { QueryState } from '../../../components/query-state.tsx'
import { SectionCard } from '../../../components/section-card.tsx'
import { milliseconds } from '../../../in-words.ts'
import { nameAsText, t } from '../../../words.ts'
import { OperationTable } from '../limits/operation-table.tsx'
import { operationName } from '../operation-name.ts'
import classes from '../overview.module.css'
import { AnsweredBar } from './answered-bar.tsx'
import { HistoryTable } from './history-table.tsx'

/** Past calls as a plot, percentiles, tables and a file; of all operations or of one. */
export function HistorySection({ applicationId }: { readonly applicationId: string }) {
  const [span, setSpan] = useState<HistorySpan>('24h')
  const [operation, setOperation] = useState<string>()
  const choice = { span, operation }
  const history = useHistory(applicationId, choice)
  const limits = useLiveUsage(applicationId).data?.items ?? []
  const hasCalls = history.data !== undefined && callsOf(history.data) > 0
  return (
    <>
      <SectionCard
        title={t('usage.history')}
        action={
          <>
            <OperationChoice
              applicationId={applicationId}
              span={span}
              value={operation}
              onChange={setOperation}
            />
            <SegmentedControl
              aria-label={t('usage.span')}
              size="xs"
              value={span}
              onChange={(value) => setSpan(value === '30d' ? '30d' : '24h')}
              data={[
                { value: '24h', label: t('usage.span24h') },
                { value: '30d', label: t('usage.span30d') },
              ]}
            />
            <Button
              component="a"
              href={historyFile(applicationId, choice)}
              download
              variant="default"
              size="compact-sm"
            >
              {t('usage.download')}
            </Button>
          </>
        }
      >
        <QueryState query={history} label={t('usage.loadingHistory')} />
        {history.data === undefined ? null : (
          <Shown history={history.data} limit={limitOf(history.data, limits, operation)} />
        )}
      </SectionCard>
      {hasCalls ? (
        <>
          <SectionCard title={t('usage.byStatus')}>
            <AnsweredBar answered={history.data.total.answered} />
          </SectionCard>
          {operation === undefined ? <OperationTable history={history.data} /> : null}
          <HistoryTable history={history.data} />
        </>
      ) : null}
    </>
  )
}

interface OperationChoiceProps {
  readonly applicationId: string
  readonly span: HistorySpan
  /** Undefined: all operations. */
  readonly value: string | undefined
  readonly onChange: (operation: string | undefined) => void
}

function OperationChoice({ applicationId, span, value, onChange }: OperationChoiceProps) {
  const { data: apis } = useApis()
  const { data: all } = useHistory(applicationId, { span })
  const called = new Map(
    all?.operations.flatMap((total) =>
      total.operation === null ? [] : [[total.operation, operationName(total, apis)] as const],
    ),
  )
  if (value !== undefined && !called.has(value)) called.set(value, value)
  return (
    <NativeSelect
      aria-label={t('usage.operation')}
      size="xs"
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      data={[
        { value: '', label: t('usage.allOperations') },
        ...[...called].map(([id, label]) => ({ value: id, label: nameAsText(label) })),
      ]}
    />
  )
}

interface ShownProps {
  readonly history: History
  readonly limit: number | undefined
}

function Shown({ history, limit }: ShownProps) {
  const { p50Ms, p95Ms, p99Ms } = history.total
  // The data on screen may still belong to the previous span.
  const isMonth = history.step === 'day'
  if (callsOf(history) === 0) {
    return (
      <EmptyState title={t(isMonth ? 'usage.noCallsMonth' : 'usage.noCallsDay')}>
        {t('usage.noCallsWhy')}
      </EmptyState>
    )
  }
  return (
    <div className={classes['history']}>
      <Figures>
        <Figure label={t('usage.timeTaken', { share: t('usage.p50') })} value={timeOf(p50Ms)} />
        <Figure label={t('usage.timeTaken', { share: t('usage.p95') })} value={timeOf(p95Ms)} />
        <Figure label={t('usage.timeTaken', { share: t('usage.p99') })} value={timeOf(p99Ms)} />
      </Figures>
      <HistoryPlot history={history} label={historySentence(history)} limit={limit} />
      <div className={classes['plotFoot']}>
        <PlotLegend />
        <span>{historySentence(history)}</span>
      </div>
    </div>
  )
}

/** The limit that counts what a column shows, in the same steps. */
function limitOf(
  { step }: History,
  limits: readonly LiveUsage[],
  operation: string | undefined,
): number | undefined {
  const fitting = limits.filter(
    (item) =>
      item.operation === (operation ?? null) &&
      (step === 'hour'
        ? item.windowSeconds === 3_600
        : item.windowSeconds === 86_400 || item.calendarWindow?.unit === 'day'),
  )
  return fitting.length === 0 ? undefined : Math.min(...fitting.map(({ limit }) => limit))
}

function timeOf(ms: number | null): string {
  return ms === null ? '–' : milliseconds(ms)
}

function callsOf({ total }: History): number {
  return total.admitted + total.refused
}
