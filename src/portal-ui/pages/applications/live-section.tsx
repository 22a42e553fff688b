import { Paper, Stack, Text, Title } from '@mantine/core'
import type { PublishedApis } from '../../../gateway/portal/schemas/catalogue.ts'
import type { LiveUsage } from '../../../gateway/portal/schemas/usage.ts'
import { useApis } from '../../api/catalogue.ts'
import { type ReceivedUsage, useLiveUsage } from '../../api/usage.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { counted, thisPeriod, windowInWords } from '../../in-words.ts'
import { publishedVersion } from '../../published.ts'
import { tabPath } from '../../tab-path.ts'
import classes from './applications.module.css'
import { LimitBar } from './limit-bar.tsx'

/** Current usage by API version: a bar for each limit in use, words for the others. */
export function LiveSection({ applicationId }: { readonly applicationId: string }) {
  const usage = useLiveUsage(applicationId)
  const apis = useApis()
  return (
    <Stack gap="md">
      <Title order={2}>{titleOf(usage.data?.items ?? [])}</Title>
      <QueryState query={usage} label="Loading your limits …" />
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
    </Stack>
  )
}

function NotSubscribed({ applicationId }: { readonly applicationId: string }) {
  return (
    <EmptyState
      title="No limits yet"
      action={
        <TextLink href={tabPath(applicationId, 'subscriptions')}>Go to subscriptions</TextLink>
      }
    >
      Limits come with a subscription. This application is not subscribed to any API yet.
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
  const published = publishedVersion(apis, { api, version })
  const title = `${published?.title ?? api} ${version}`
  const nameOf = ({ operation }: LiveUsage) =>
    operation === null
      ? 'All operations together'
      : (published?.operations.find(({ id }) => id === operation)?.summary ?? operation)
  const used = items.filter((item) => item.used > 0)
  const unused = items.filter((item) => item.used === 0)

  return (
    <Paper
      withBorder
      p="lg"
      className={classes['card'] ?? ''}
      component="section"
      aria-label={title}
    >
      <Stack gap="md">
        <Title order={3}>{title}</Title>
        {used.length === 0 ? (
          <Text>No calls yet {periodOf(items)}.</Text>
        ) : (
          <Stack component="ul" gap="lg" className={classes['list'] ?? ''}>
            {used.map((item) => (
              <LimitBar
                key={`${item.operation} ${item.limitName}`}
                item={item}
                name={nameOf(item)}
                usage={usage}
              />
            ))}
          </Stack>
        )}
        {unused.length === 0 ? null : (
          <details className={classes['details']}>
            <summary>
              {used.length === 0 ? 'Calls left' : `Not called ${periodOf(items)}`} ({unused.length})
            </summary>
            <ul className={classes['unused']}>
              {unused.map((item) => (
                <li key={`${item.operation} ${item.limitName}`}>
                  {nameOf(item)}:{' '}
                  <span className={classes['dimmed']}>
                    {counted(item.remaining, 'call')} left per {windowInWords(item)}
                  </span>
                </li>
              ))}
            </ul>
          </details>
        )}
      </Stack>
    </Paper>
  )
}

/** `Limits this hour`, if every limit counts by the hour. */
function titleOf(items: readonly LiveUsage[]): string {
  const period = periodOf(items)
  return period === 'in this period' ? 'Limits now' : `Limits ${period}`
}

function periodOf(items: readonly LiveUsage[]): string {
  const [period = 'in this period', ...others] = new Set(items.map(thisPeriod))
  return others.length === 0 ? period : 'in this period'
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
