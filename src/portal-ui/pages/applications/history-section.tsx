import { Button, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { History } from '../../../gateway/portal/schemas/usage.ts'
import { type HistorySpan, historyFile, useHistory } from '../../api/usage.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Slow } from '../../components/slow.tsx'
import { wholeNumber } from '../../in-words.ts'
import classes from './applications.module.css'
import { HistoryTable } from './history-table.tsx'

// Nobody who only looks at the bars needs the plotting library.
const HistoryPlot = lazy(() =>
  import('./history-plot.tsx').then((module) => ({ default: module.HistoryPlot })),
)

const spanWords = { '24h': 'the last 24 hours', '30d': 'the last 30 days' } as const

/** What was called before: a plot, the same numbers in a table, and both as a file. */
export function HistorySection({ applicationId }: { readonly applicationId: string }) {
  const [span, setSpan] = useState<HistorySpan>('24h')
  const history = useHistory(applicationId, span)
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Title order={2}>History</Title>
        <Group gap="sm">
          <SegmentedControl
            aria-label="How far back"
            value={span}
            onChange={(value) => setSpan(value === '30d' ? '30d' : '24h')}
            data={[
              { value: '24h', label: '24 hours' },
              { value: '30d', label: '30 days' },
            ]}
          />
          <Button
            component="a"
            href={historyFile(applicationId, span)}
            download
            variant="default"
            size="sm"
          >
            Download CSV
          </Button>
        </Group>
      </Group>
      {history.isPending ? <Slow label="Loading the history …" /> : null}
      <ProblemAlert error={history.error} onRetry={() => void history.refetch()} />
      {history.data === undefined ? null : <Shown history={history.data} />}
    </Stack>
  )
}

function Shown({ history }: { readonly history: History }) {
  const sums = sumsOf(history)
  // What shows may still be the span chosen before.
  const words = spanWords[history.step === 'day' ? '30d' : '24h']
  if (sums.admitted + sums.refused === 0) {
    return (
      <EmptyState title={`No calls in ${words}`}>
        The history fills within a minute of the first call. Only calls with a key of this
        application are part of it.
      </EmptyState>
    )
  }
  const sentence = `${wholeNumber(sums.admitted)} admitted, ${wholeNumber(sums.errors)} of them failed; ${wholeNumber(sums.refused)} refused.`
  return (
    <Paper withBorder p="lg" className={classes['card'] ?? ''}>
      <Stack gap="md">
        <Text>
          In {words}: {sentence}
        </Text>
        <div className={classes['plot']}>
          <Suspense fallback={<Slow label="Loading the plot …" />}>
            <HistoryPlot history={history} label={`Calls in ${words}. ${sentence}`} />
          </Suspense>
        </div>
        <Legend />
        <HistoryTable history={history} />
      </Stack>
    </Paper>
  )
}

function Legend() {
  return (
    <ul className={classes['legend']}>
      <li className={classes['legendAdmitted']}>Admitted</li>
      <li className={classes['legendErrors']}>of them, failed (5xx or broken off)</li>
      <li className={classes['legendRefused']}>Refused by the gateway</li>
    </ul>
  )
}

function sumsOf({ items }: History) {
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0)
  return {
    admitted: sum(items.map(({ admitted }) => admitted)),
    refused: sum(items.map(({ refused }) => refused)),
    errors: sum(items.map(({ errors }) => errors)),
  }
}
