// This folder shows limits in use, and how to get more calls: `ask-for-calls.tsx` asks an operator, `change-plan.tsx`
// and `move-page.tsx` change the plan or the version. This file shows all limits of an application.

import type { PublishedApis } from '../../../../portal/api/schemas/catalogue.ts'
import type { LiveUsage } from '../../../../portal/api/schemas/usage.ts'
import { useApis } from '../../../api/catalogue.ts'
import { type ReceivedUsage, useLiveUsage } from '../../../api/usage.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { QueryState } from '../../../components/query-state.tsx'
import { SectionCard } from '../../../components/section-card.tsx'
import { TextLink } from '../../../components/text-link.tsx'
import { thisPeriod, windowInWords } from '../../../in-words.ts'
import { versionTitle } from '../../../published.ts'
import { tabPath } from '../../../tab-path.ts'
import { nameAsText, t } from '../../../words.ts'
import classes from '../overview.module.css'
import { LimitBar } from './limit-bar.tsx'
import { limitTitle } from './limit-title.ts'

/** Current usage by API version: a bar for each limit in use, a line of text for the others. */
export function LiveSection({ applicationId }: { readonly applicationId: string }) {
  const usage = useLiveUsage(applicationId)
  const apis = useApis()
  return (
    <>
      <QueryState query={usage} label={t('usage.loadingLimits')} />
      {usage.data?.items.length === 0 ? <NotSubscribed applicationId={applicationId} /> : null}
      {usage.data === undefined
        ? null
        : byVersion(usage.data.items).map(({ api, version, items }) => (
            <VersionUsage
              key={`${api}@${version}`}
              apis={apis.data}
              api={api}
              version={version}
              items={items}
              usage={usage.data}
            />
          ))}
    </>
  )
}

function NotSubscribed({ applicationId }: { readonly applicationId: string }) {
  return (
    <EmptyState
      title={t('usage.noLimits')}
      action={
        <TextLink href={tabPath(applicationId, 'subscriptions')}>
          {t('usage.toSubscriptions')}
        </TextLink>
      }
    >
      {t('usage.noLimitsWhy')}
    </EmptyState>
  )
}

interface VersionUsageProps {
  readonly apis: PublishedApis | undefined
  readonly api: string
  readonly version: string
  readonly items: readonly LiveUsage[]
  readonly usage: ReceivedUsage
}

function VersionUsage({ apis, api, version, items, usage }: VersionUsageProps) {
  const used = items
    .filter((item) => item.used > 0)
    .toSorted((a, b) => b.used / b.limit - a.used / a.limit)
  const unused = items.filter((item) => item.used === 0)
  return (
    <SectionCard
      title={t('usage.limitsOf', { name: nameAsText(versionTitle(apis, { api, version })) })}
      action={periodOf(items)}
      hasRows
    >
      {used.length === 0 ? null : (
        <ul className={classes['limits']}>
          {used.map((item) => (
            <LimitBar
              key={`${item.operation} ${item.limitName}`}
              item={item}
              name={limitTitle(item, apis)}
              usage={usage}
            />
          ))}
        </ul>
      )}
      {unused.length === 0 ? null : (
        <details className={classes['unusedLimits']}>
          <summary>
            {t(used.length === 0 ? 'usage.allUnused' : 'usage.unused', { count: unused.length })}
          </summary>
          <ul className={classes['unused']}>
            {unused.map((item) => (
              <li key={`${item.operation} ${item.limitName}`}>
                {t('usage.unusedLimit', {
                  name: limitTitle(item, apis),
                  count: item.remaining,
                  window: windowInWords(item),
                })}
              </li>
            ))}
          </ul>
        </details>
      )}
    </SectionCard>
  )
}

/** The period of all limits, for example `this hour`; undefined if they differ. */
function periodOf(items: readonly LiveUsage[]): string | undefined {
  const [period, ...others] = new Set(items.map(thisPeriod))
  return others.length === 0 ? period : undefined
}

function byVersion(items: readonly LiveUsage[]) {
  const groups = new Map<string, { api: string; version: string; items: LiveUsage[] }>()
  for (const item of items) {
    const { api, version } = item
    const name = `${api}@${version}`
    const group = groups.get(name) ?? { api, version, items: [] }
    group.items.push(item)
    groups.set(name, group)
  }
  return [...groups.values()]
}
