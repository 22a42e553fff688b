import { Paper, Stack, Table, Title } from '@mantine/core'
import type { OperatorOverview } from '../../../gateway/portal/schemas/operator.ts'
import { useOperatorOverview } from '../../api/operator.ts'
import { Figure, Figures } from '../../components/figure.tsx'
import { Pill } from '../../components/pill.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import { dateFormat } from '../../formats.ts'
import { wholeNumber } from '../../in-words.ts'
import { t } from '../../words.ts'
import classes from './operator.module.css'
import { sectionPath } from './section-links.tsx'

/** What is going on: calls of the last day, and what waits for an operator. */
export function OverviewSection() {
  const overview = useOperatorOverview()
  const { data } = overview
  if (data === undefined) return <QueryState query={overview} />
  return (
    <Stack gap="lg">
      <CallFigures hours={data.hours} />
      <HoursPlot hours={data.hours} />
      <Registered counts={data.counts} newDays={data.newDays} />
    </Stack>
  )
}

type Hours = OperatorOverview['hours']

function CallFigures({ hours }: { readonly hours: Hours }) {
  const sum = (member: 'admitted' | 'refused' | 'errors') =>
    hours.reduce((all, hour) => all + hour[member], 0)
  const [admitted, refused, errors] = [sum('admitted'), sum('refused'), sum('errors')]
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

/** Bars by hour, refused calls on top of allowed ones; the same numbers as a table for screen readers. */
function HoursPlot({ hours }: { readonly hours: Hours }) {
  const most = Math.max(1, ...hours.map(({ admitted, refused }) => admitted + refused))
  const hourOf = (at: string) =>
    dateFormat({ hour: '2-digit', minute: '2-digit' }).format(new Date(at))
  return (
    <Paper withBorder p="md" component="section" aria-label={t('overview.byHour')}>
      <div className={classes['plotHead']}>
        <Title order={2}>{t('overview.byHour')}</Title>
        <div className={classes['legend']} aria-hidden>
          <span data-kind="admitted">{t('overview.allowed')}</span>
          <span data-kind="refused">{t('overview.refused')}</span>
        </div>
      </div>
      <div className={classes['most']} aria-hidden>
        {t('overview.most', { count: most })}
      </div>
      <div className={classes['bars']} aria-hidden>
        {hours.map(({ at, admitted, refused, errors }, index) => (
          <div
            key={at}
            className={classes['bar']}
            title={t('overview.hour', { hour: hourOf(at), admitted, refused, errors })}
          >
            <div className={classes['column']}>
              <span data-kind="refused" style={{ height: `${(refused / most) * 100}%` }} />
              <span data-kind="admitted" style={{ height: `${(admitted / most) * 100}%` }} />
            </div>
            <span className={classes['tick']}>{index % 4 === 3 ? hourOf(at) : ''}</span>
          </div>
        ))}
      </div>
      <details className={classes['asTable']}>
        <summary>{t('overview.asTable')}</summary>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('overview.hourOf')}</Table.Th>
              <Table.Th scope="col">{t('overview.allowed')}</Table.Th>
              <Table.Th scope="col">{t('overview.refused')}</Table.Th>
              <Table.Th scope="col">{t('overview.errors')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {hours.map(({ at, admitted, refused, errors }) => (
              <Table.Tr key={at}>
                <Table.Td>
                  <Time at={at} />
                </Table.Td>
                <Table.Td>{wholeNumber(admitted)}</Table.Td>
                <Table.Td>{wholeNumber(refused)}</Table.Td>
                <Table.Td>{wholeNumber(errors)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </details>
    </Paper>
  )
}

function Registered({ counts, newDays }: Pick<OperatorOverview, 'counts' | 'newDays'>) {
  const { developers, newDevelopers, awaitingApproval } = counts
  const { applications, suspendedApplications, subscriptions, overrides } = counts
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
          note={
            <>
              {t('overview.newPeople', { count: newDevelopers, days: newDays })}
              {awaitingApproval === 0 ? null : (
                <div>
                  <Pill tone="warn" hasDot>
                    {t('overview.awaiting', { count: awaitingApproval })}
                  </Pill>
                </div>
              )}
            </>
          }
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
