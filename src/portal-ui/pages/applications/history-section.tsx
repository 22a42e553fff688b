import { Button, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { History } from '../../../gateway/portal/schemas/usage.ts'
import { type HistorySpan, historyFile, useHistory } from '../../api/usage.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { Slow } from '../../components/slow.tsx'
import { wholeNumber } from '../../in-words.ts'
import classes from './applications.module.css'
import { HistoryTable } from './history-table.tsx'

// The plotting library loads only with the plot.
const HistoryPlot = lazy(() =>
  import('./history-plot.tsx').then((module) => ({ default: module.HistoryPlot })),
)

const spanWords = { '24h': 'the last 24 hours', '30d': 'the last 30 days' } as const

/** Past calls as a plot, a table and a file. */
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
      <QueryState query={history} label="Loading the history …" />
      {history.data === undefined ? null : <Shown history={history.data} />}
    </Stack>
  )
}

function Shown({ history }: { readonly history: History }) {
  const sums = sumsOf(history)
  // The data on screen may still belong to the previous span.
  const words = spanWords[history.step === 'day' ? '30d' : '24h']
  if (sums.admitted + sums.refused === 0) {
    return (
      <EmptyState title={`No calls in ${words}`}>
        Calls with this application's keys appear here within a minute.
      </EmptyState>
    )
  }
  const sentence = `${wholeNumber(sums.admitted)} forwarded to the bank (${wholeNumber(sums.errors)} failed), ${wholeNumber(sums.refused)} refused by the gateway.`
  return (
    <Paper withBorder p="lg" className={classes['card'] ?? ''}>
      <Stack gap="md">
        <Text>
          In {words}: {sentence} A forwarded call may have got a 4xx from the bank: the tab Calls
          shows each status.
        </Text>
        <div className={classes['plot']}>
          <Suspense fallback={<Slow label="Loading the chart …" />}>
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
      <li className={classes['legendAdmitted']}>Forwarded to the bank</li>
      <li className={classes['legendErrors']}>Failed (5xx or connection lost)</li>
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
