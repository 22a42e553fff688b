import { Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Link } from 'wouter'
import type { Application } from '../../../portal/api/schemas/applications.ts'
import type { ApplicationSummary } from '../../../portal/api/schemas/usage.ts'
import { useApis } from '../../api/catalogue.ts'
import { Ago } from '../../components/ago.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Pill } from '../../components/pill.tsx'
import { Spark } from '../../components/spark.tsx'
import { percent, wholeNumber } from '../../in-words.ts'
import { versionTitle } from '../../published.ts'
import { tabPath } from '../../tab-path.ts'
import { t } from '../../words.ts'
import classes from './application-table.module.css'

export interface ApplicationTableProps {
  readonly applications: readonly Application[]
  /** Summaries of these applications, as far as they are loaded. */
  readonly summaries: readonly ApplicationSummary[]
}

interface RowProps {
  readonly application: Application
  readonly summary: ApplicationSummary | undefined
}

/** The developer's applications, each with its last day in one row; on a phone in two lines. */
export function ApplicationTable({ applications, summaries }: ApplicationTableProps) {
  const isNarrow = useMediaQuery('(max-width: 48em)') ?? false
  const rows = applications.map((application) => ({
    application,
    summary: summaries.find(({ applicationId }) => applicationId === application.id),
  }))
  if (isNarrow) {
    return (
      <ul className={classes['list']} aria-label={t('applications.yours')}>
        {rows.map((row) => (
          <Compact key={row.application.id} {...row} />
        ))}
      </ul>
    )
  }
  return (
    <DataTable
      label={t('applications.yours')}
      columns={[
        { name: 'name', label: t('applications.name') },
        { name: 'calls', label: t('applications.calls'), isNumber: true },
        { name: 'refused', label: t('applications.refused'), isNumber: true },
        { name: 'keys', label: t('applications.keys'), isNumber: true },
        { name: 'versions', label: t('applications.versions') },
        { name: 'last', label: t('applications.lastCall') },
        { name: 'state', label: t('applications.state') },
      ]}
    >
      {rows.map((row) => (
        <Row key={row.application.id} {...row} />
      ))}
    </DataTable>
  )
}

function Row({ application, summary }: RowProps) {
  return (
    <Table.Tr className={classes['row'] ?? ''}>
      <Table.Td className={classes['name'] ?? ''}>
        <NameLink application={application} />
      </Table.Td>
      <Table.Td>
        <div className={classes['calls']}>
          <Shape summary={summary} />
          {summary === undefined ? '' : wholeNumber(summary.calls)}
        </div>
      </Table.Td>
      <Table.Td data-number>
        <Refused summary={summary} />
      </Table.Td>
      <Table.Td data-number>
        {summary === undefined ? '' : wholeNumber(summary.workingKeys)}
      </Table.Td>
      <Table.Td>
        <Versions summary={summary} />
      </Table.Td>
      <Table.Td>
        <LastCall summary={summary} />
      </Table.Td>
      <Table.Td>
        <State application={application} />
      </Table.Td>
    </Table.Tr>
  )
}

function Compact({ application, summary }: RowProps) {
  return (
    <li className={classes['compact']}>
      <div className={classes['line']}>
        <NameLink application={application} />
        <State application={application} />
      </div>
      {summary === undefined ? null : (
        <div className={classes['line']}>
          <span className={classes['facts']}>
            {t('applications.compact', {
              calls: summary.calls,
              refused: percent(refusedShare(summary)),
              keys: summary.workingKeys,
            })}
          </span>
          <Shape summary={summary} />
        </div>
      )}
    </li>
  )
}

/** The whole row leads to the application; screen readers read only the name. */
function NameLink({ application: { id, name } }: { readonly application: Application }) {
  return (
    <Link href={tabPath(id, 'overview')} className={classes['link'] ?? ''} title={name}>
      <bdi>{name}</bdi>
    </Link>
  )
}

function State({ application: { suspendedAt } }: { readonly application: Application }) {
  const isActive = suspendedAt === null
  return (
    <Pill tone={isActive ? 'ok' : 'bad'} hasDot>
      {t(isActive ? 'application.stateActive' : 'application.stateSuspended')}
    </Pill>
  )
}

interface SummaryProps {
  readonly summary: ApplicationSummary | undefined
}

function Shape({ summary }: SummaryProps) {
  if (summary === undefined || summary.calls === 0) return null
  const most = Math.max(...summary.hours)
  return <Spark values={summary.hours} label={t('applications.shape', { count: most })} />
}

function Refused({ summary }: SummaryProps) {
  if (summary === undefined) return null
  if (summary.calls === 0) return '–'
  const share = refusedShare(summary)
  return <span data-tone={share >= 0.05 ? 'warn' : undefined}>{percent(share)}</span>
}

function Versions({ summary }: SummaryProps) {
  const { data: apis } = useApis()
  if (summary === undefined) return null
  const names = summary.versions.map((each) => versionTitle(apis, each))
  if (names.length === 0) return t('applications.noVersion')
  if (names.length === 1) return <bdi>{names[0]}</bdi>
  return (
    <span title={names.join('\n')}>{t('applications.someVersions', { count: names.length })}</span>
  )
}

function LastCall({ summary }: SummaryProps) {
  if (summary === undefined) return null
  return summary.lastCallAt === null ? t('applications.never') : <Ago at={summary.lastCallAt} />
}

function refusedShare({ calls, refused }: ApplicationSummary): number {
  return calls === 0 ? 0 : refused / calls
}
