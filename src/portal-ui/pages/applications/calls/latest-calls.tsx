import { Link } from 'wouter'
import type { CallRecord } from '../../../../portal/api/schemas/usage.ts'
import { useLatestCalls } from '../../../api/calls.ts'
import { useApis } from '../../../api/catalogue.ts'
import { Ago } from '../../../components/ago.tsx'
import { MethodBadge } from '../../../components/method-badge.tsx'
import { QueryState } from '../../../components/query-state.tsx'
import { SectionCard } from '../../../components/section-card.tsx'
import { StatusCode } from '../../../components/status-code.tsx'
import { TextLink } from '../../../components/text-link.tsx'
import { milliseconds } from '../../../in-words.ts'
import { tabPath } from '../../../tab-path.ts'
import { t } from '../../../words.ts'
import classes from '../overview.module.css'
import { callPath, callTitle } from './call-words.ts'

/** The newest calls in rows; each opens its story. */
export function LatestCalls({ applicationId }: { readonly applicationId: string }) {
  const calls = useLatestCalls(applicationId)
  const items = calls.data?.items ?? []
  return (
    <SectionCard
      title={t('appOverview.latest')}
      hasRows
      action={
        <TextLink href={tabPath(applicationId, 'calls')} underline="hover" fw={550} inherit>
          {t('appOverview.allCalls')}
        </TextLink>
      }
    >
      {calls.data === undefined ? (
        <div className={classes['note']}>
          <QueryState query={calls} label={t('calls.loading')} />
        </div>
      ) : null}
      {calls.data?.items.length === 0 ? (
        <p className={classes['note']}>{t('calls.noneYet')}</p>
      ) : null}
      <ul className={classes['latest']}>
        {items.map((record) => (
          <Latest
            key={`${record.requestId} ${record.at}`}
            applicationId={applicationId}
            record={record}
          />
        ))}
      </ul>
    </SectionCard>
  )
}

interface LatestProps {
  readonly applicationId: string
  readonly record: CallRecord
}

function Latest({ applicationId, record }: LatestProps) {
  const { requestId, method, status, totalMs, at } = record
  const { data: apis } = useApis()
  const title = callTitle(record, apis)
  const path = callPath(record)
  const query = new URLSearchParams({ request: requestId })
  return (
    <li className={classes['latestCall']}>
      <span className={classes['method']}>
        <MethodBadge method={method} />
      </span>
      <Link
        href={`${tabPath(applicationId, 'calls')}?${query}`}
        className={classes['latestPath'] ?? ''}
        title={path}
      >
        <bdi {...(title === undefined ? { dir: 'ltr' } : {})}>{title ?? path}</bdi>
      </Link>
      <StatusCode status={status} />
      <span className={classes['took']}>{milliseconds(totalMs)}</span>
      <span className={classes['ago']}>
        <Ago at={at} />
      </span>
    </li>
  )
}
