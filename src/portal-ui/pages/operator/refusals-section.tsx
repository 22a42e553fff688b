import { SegmentedControl, Stack, Text } from '@mantine/core'
import { Fragment, useState } from 'react'
import { useRefusals } from '../../api/operator.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Message } from '../../components/message.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import { wholeNumber } from '../../in-words.ts'
import { t } from '../../words.ts'
import { ScrollTable } from './scroll-table.tsx'

const spans = ['24', '168', '720'] as const

/** Applications by refused calls, most refusals first. */
export function RefusalsSection() {
  const [hours, setHours] = useState<string>('24')
  const refusals = useRefusals(Number(hours))
  return (
    <Stack gap="lg">
      <SegmentedControl
        value={hours}
        onChange={setHours}
        data={spans.map((value) => ({ value, label: t(`refusals.${value}`) }))}
        aria-label={t('refusals.howFar')}
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
        <Message
          id="refusals.period"
          values={{ from: <Time at={data.from} />, to: <Time at={data.to} /> }}
        />
      </Text>
      {data.items.length === 0 ? (
        <EmptyState title={t('refusals.none')}>{t('refusals.noneHelp')}</EmptyState>
      ) : (
        <ScrollTable
          label={t('refusals.table')}
          head={[
            t('operator.application'),
            t('overview.refused'),
            t('refusals.share'),
            t('refusals.forwarded'),
            t('overview.errors'),
          ]}
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
        {t('refusals.errorsMean')}
      </Text>
    </Stack>
  )
}

function share(part: number, whole: number): string {
  if (whole === 0) return '–'
  const percent = (100 * part) / whole
  return percent > 0 && percent < 1
    ? t('refusals.below1')
    : t('refusals.percent', { share: percent / 100 })
}
