import { Anchor, SegmentedControl, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useRefusals } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Slow } from '../../components/slow.tsx'
import { Time } from '../../components/time.tsx'
import { wholeNumber } from '../../in-words.ts'
import { ScrollTable } from './scroll-table.tsx'

const spans = [
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
] as const

/** Applications by refused calls, most refusals first. */
export function RefusalsSection() {
  const [hours, setHours] = useState<string>('24')
  const refusals = useRefusals(Number(hours))
  return (
    <Stack gap="lg">
      <SegmentedControl
        value={hours}
        onChange={setHours}
        data={[...spans]}
        aria-label="How far back"
        maw="24rem"
      />
      <RefusedCalls query={refusals} />
    </Stack>
  )
}

function RefusedCalls({ query }: { readonly query: ReturnType<typeof useRefusals> }) {
  const { data, error, refetch } = query
  if (data === undefined) {
    return query.isPending ? (
      <Slow />
    ) : (
      <ProblemAlert error={error} onRetry={() => void refetch()} />
    )
  }
  return (
    <Stack gap="sm">
      <ProblemAlert error={error} onRetry={() => void refetch()} />
      <Text size="sm" c="dimmed" role="status">
        <Time at={data.from} /> to <Time at={data.to} />
      </Text>
      {data.items.length === 0 ? (
        <EmptyState title="No call was refused">
          Applications appear here when Tollgate refuses their calls: over a limit, without a
          subscription, suspended or for any other reason.
        </EmptyState>
      ) : (
        <ScrollTable
          label="Refused calls by application"
          head={['Application', 'Refused', 'Share', 'Forwarded', 'Errors']}
        >
          {data.items.map((item) => (
            <Table.Tr key={item.applicationId}>
              <Table.Td>
                <Anchor
                  component={Link}
                  href={`/operator/applications/${item.applicationId}`}
                  fw={600}
                  underline="always"
                >
                  <bdi>{item.applicationName}</bdi>
                </Anchor>
                <Text size="sm" c="dimmed">
                  <bdi>{item.developerEmail}</bdi>
                </Text>
              </Table.Td>
              <Table.Td>{wholeNumber(item.refused)}</Table.Td>
              <Table.Td>{share(item.refused, item.admitted + item.refused)}</Table.Td>
              <Table.Td>{wholeNumber(item.admitted)}</Table.Td>
              <Table.Td>{wholeNumber(item.errors)}</Table.Td>
            </Table.Tr>
          ))}
        </ScrollTable>
      )}
      <Text size="sm" c="dimmed">
        Errors are forwarded calls that the bank service, or the gateway on its behalf, answered
        with a 5xx status.
      </Text>
    </Stack>
  )
}

function share(part: number, whole: number): string {
  if (whole === 0) return '–'
  const percent = (100 * part) / whole
  return percent > 0 && percent < 1 ? 'below 1 %' : `${Math.round(percent)} %`
}
