import { SegmentedControl, Stack, Text } from '@mantine/core'
import { Fragment, useState } from 'react'
import { useRefusals } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
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
  const { data } = query
  if (data === undefined) return <QueryState query={query} />
  return (
    <Stack gap="sm">
      <QueryState query={query} />
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
          rows={data.items.map((item) => ({
            id: item.applicationId,
            cells: [
              <Fragment key="application">
                <TextLink href={`/operator/applications/${item.applicationId}`} fw={600}>
                  <bdi>{item.applicationName}</bdi>
                </TextLink>
                <Text size="sm" c="dimmed">
                  <bdi>{item.developerEmail}</bdi>
                </Text>
              </Fragment>,
              wholeNumber(item.refused),
              share(item.refused, item.admitted + item.refused),
              wholeNumber(item.admitted),
              wholeNumber(item.errors),
            ],
          }))}
        />
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
