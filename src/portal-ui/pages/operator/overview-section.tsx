import { Stack, Table, Title } from '@mantine/core'
import type { OperatorOverview } from '../../../portal/api/schemas/operator.ts'
import { useOperatorOverview, useWaiting } from '../../api/operator.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Figure, Figures } from '../../components/figure.tsx'
import { HistoryPlot, PlotLegend } from '../../components/history-plot.tsx'
import { historySentence } from '../../components/history-sentence.ts'
import { Message } from '../../components/message.tsx'
import { NoticeLine } from '../../components/notice-line.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { SectionCard } from '../../components/section-card.tsx'
import { stepName } from '../../components/step-label.ts'
import { pageLink, TextLink } from '../../components/text-link.tsx'
import { wholeNumber } from '../../in-words.ts'
import { t } from '../../words.ts'
import classes from './operator.module.css'
import { sectionPath } from './section-links.tsx'

/** Current activity: calls of the last day, and what waits for an operator. */
export function OverviewSection() {
  const overview = useOperatorOverview()
  const { data } = overview
  if (data === undefined) return <QueryState query={overview} />
  const { hours, counts, newDays } = data
  return (
    <Stack gap="lg">
      <WaitingLines />
      <CallFigures hours={hours} />
      <HoursPlot hours={hours} />
      <Registered counts={counts} newDays={newDays} />
    </Stack>
  )
}

/** A line for each kind of thing that waits for an operator. */
function WaitingLines() {
  const { data: waiting } = useWaiting()
  const lines = [
    ['overview.awaiting', waiting?.developers ?? 0, 'developers'],
    ['overview.requests', waiting?.limitRequests ?? 0, 'requests'],
  ] as const
  return lines.map(([id, count, section]) =>
    count === 0 ? null : (
      <NoticeLine key={id} tone="warn">
        <Message
          id={id}
          values={{ count }}
          tags={{ link: pageLink(sectionPath(section), { inherit: true }) }}
        />
      </NoticeLine>
    ),
  )
}

type Hours = OperatorOverview['hours']

function CallFigures({ hours }: { readonly hours: Hours }) {
  const { admitted, refused, clientErrors, errors } = totalOf(hours)
  return (
    <Figures>
      <Figure
        label={t('overview.calls')}
        value={wholeNumber(admitted + refused)}
        note={t('overview.lastDay')}
      />
      <Figure
        label={t('overview.refused')}
        value={
          <TextLink href={sectionPath('refusals')} inherit>
            {wholeNumber(refused)}
          </TextLink>
        }
        note={t('overview.share', { share: shareOf(refused, admitted + refused) })}
      />
      <Figure
        label={t('usage.clientErrors')}
        value={wholeNumber(clientErrors)}
        note={t('overview.share', { share: shareOf(clientErrors, admitted) })}
      />
      <Figure
        label={t('overview.errors')}
        value={wholeNumber(errors)}
        note={t('overview.share', { share: shareOf(errors, admitted) })}
      />
    </Figures>
  )
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

function totalOf(hours: Hours) {
  const sum = (member: Exclude<keyof Hours[number], 'at'>) =>
    hours.reduce((all, hour) => all + hour[member], 0)
  return {
    admitted: sum('admitted'),
    refused: sum('refused'),
    clientErrors: sum('clientErrors'),
    errors: sum('errors'),
  }
}

/** The plot of a developer's usage, over all applications; the same numbers as a table for screen readers. */
function HoursPlot({ hours }: { readonly hours: Hours }) {
  const step = 'hour'
  return (
    <SectionCard title={t('overview.byHour')} action={<PlotLegend />}>
      <HistoryPlot
        history={{ step, items: hours }}
        label={historySentence({ step, total: totalOf(hours) })}
      />
      <details className={classes['asTable']}>
        <summary>{t('overview.asTable')}</summary>
        <DataTable
          label={t('overview.byHour')}
          columns={[
            { name: 'hour', label: t('overview.hourOf') },
            { name: 'allowed', label: t('overview.allowed'), isNumber: true },
            { name: 'clientErrors', label: t('usage.clientErrors'), isNumber: true },
            { name: 'errors', label: t('overview.errors'), isNumber: true },
            { name: 'refused', label: t('overview.refused'), isNumber: true },
          ]}
        >
          {hours.map(({ at, admitted, refused, clientErrors, errors }) => (
            <Table.Tr key={at}>
              <Table.Td>{stepName({ step }, at)}</Table.Td>
              <Table.Td data-number>{wholeNumber(admitted)}</Table.Td>
              <Table.Td data-number>{wholeNumber(clientErrors)}</Table.Td>
              <Table.Td data-number>{wholeNumber(errors)}</Table.Td>
              <Table.Td data-number>{wholeNumber(refused)}</Table.Td>
            </Table.Tr>
          ))}
        </DataTable>
      </details>
    </SectionCard>
  )
}

function Registered({ counts, newDays }: Pick<OperatorOverview, 'counts' | 'newDays'>) {
  const {
    developers,
    newDevelopers,
    applications,
    suspendedApplications,
    subscriptions,
    overrides,
  } = counts
  return (
    <Stack gap="sm" component="section">
      <Title order={2}>{t('overview.registered')}</Title>
      <Figures>
        <Figure
          label={t('operator.developers')}
          value={
            <TextLink href={sectionPath('developers')} inherit>
              {wholeNumber(developers)}
            </TextLink>
          }
          note={t('overview.newPeople', { count: newDevelopers, days: newDays })}
        />
        <Figure
          label={t('operator.applications')}
          value={
            <TextLink href={sectionPath('applications')} inherit>
              {wholeNumber(applications)}
            </TextLink>
          }
          note={t('overview.suspended', { count: suspendedApplications })}
        />
        <Figure
          label={t('overview.subscriptions')}
          value={
            <TextLink href={sectionPath('versions')} inherit>
              {wholeNumber(subscriptions)}
            </TextLink>
          }
          note={t('overview.subscriptionsNow')}
        />
        <Figure
          label={t('overview.overrides')}
          value={
            <TextLink href={sectionPath('plans')} inherit>
              {wholeNumber(overrides)}
            </TextLink>
          }
          note={t('overview.overridesNow')}
        />
      </Figures>
    </Stack>
  )
}
