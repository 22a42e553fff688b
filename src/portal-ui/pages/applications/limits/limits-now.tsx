import type { LiveUsage } from '../../../../portal/api/schemas/usage.ts'
import { useApis } from '../../../api/catalogue.ts'
import { type ReceivedUsage, useLiveUsage } from '../../../api/usage.ts'
import { QueryState } from '../../../components/query-state.tsx'
import { SectionCard } from '../../../components/section-card.tsx'
import { TextLink } from '../../../components/text-link.tsx'
import { tabPath } from '../../../tab-path.ts'
import { t } from '../../../words.ts'
import classes from '../overview.module.css'
import { LimitBar } from './limit-bar.tsx'
import { limitTitle } from './limit-title.ts'

const shownMax = 5

/** The limits that are used most at the moment. */
export function LimitsNow({ applicationId }: { readonly applicationId: string }) {
  const usage = useLiveUsage(applicationId)
  return (
    <SectionCard
      title={t('appOverview.limits')}
      hasRows
      action={
        <TextLink href={tabPath(applicationId, 'usage')} underline="hover" fw={550} inherit>
          {t('appOverview.allLimits')}
        </TextLink>
      }
    >
      {usage.data === undefined ? (
        <div className={classes['note']}>
          <QueryState query={usage} label={t('usage.loadingLimits')} />
        </div>
      ) : (
        <Shown usage={usage.data} />
      )}
    </SectionCard>
  )
}

function Shown({ usage }: { readonly usage: ReceivedUsage }) {
  const { data: apis } = useApis()
  const used = usage.items
    .filter((item) => item.used > 0)
    .toSorted((a, b) => shareOf(b) - shareOf(a))
  if (used.length === 0) {
    return (
      <p className={classes['note']}>
        {usage.items.length === 0
          ? t('appOverview.noLimits')
          : t('appOverview.unusedLimits', { count: usage.items.length })}
      </p>
    )
  }
  return (
    <ul className={classes['limits']}>
      {used.slice(0, shownMax).map((item) => (
        <LimitBar
          key={`${item.api} ${item.version} ${item.operation} ${item.limitName}`}
          item={item}
          name={limitTitle(item, apis)}
          usage={usage}
          isShort
        />
      ))}
    </ul>
  )
}

function shareOf({ used, limit }: LiveUsage): number {
  return used / Math.max(1, limit)
}
