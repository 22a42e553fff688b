import type { ReactNode } from 'react'
import { useHistory } from '../../api/usage.ts'
import { Day } from '../../components/day.tsx'
import { Message } from '../../components/message.tsx'
import { NoticeLine } from '../../components/notice-line.tsx'
import { Slow } from '../../components/slow.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { counted } from '../../in-words.ts'
import { diffPath } from '../../published.ts'
import { t } from '../../words.ts'
import classes from './overview.module.css'
import { type SubscribedVersion, useSubscribedVersions } from './subscribed-versions.ts'

/**
 * For every subscription to a version that is about to end: when, its
 * successor, and the operations that this application still calls.
 */
export function DeprecationNotices({ applicationId }: { readonly applicationId: string }) {
  const { versions = [] } = useSubscribedVersions(applicationId)
  const deprecated = versions.filter(({ isDeprecated }) => isDeprecated)
  return deprecated.map((version) => (
    <NoticeLine
      key={version.subscription.id}
      tone="warn"
      name={`deprecated ${applicationId} ${version.api} ${version.version}`}
    >
      <Notice applicationId={applicationId} version={version} />
    </NoticeLine>
  ))
}

interface NoticeProps {
  readonly applicationId: string
  readonly version: SubscribedVersion
}

/** One line; opened, what the application still calls. */
function Notice({ applicationId, version }: NoticeProps) {
  const { api, title, lifecycle } = version
  const { sunset, successor, retired } = lifecycle
  const end = retired ?? sunset
  const name = <bdi>{title}</bdi>
  const rest = (text: ReactNode) => <span className={classes['rest']}>{text}</span>
  const number = version.version
  const changes =
    successor === undefined ? undefined : (
      <>
        <span className={classes['rest']}>
          <TextLink href={diffPath(api, number, successor)} inherit>
            {t('deprecation.changes', { successor })}
          </TextLink>
          {' · '}
        </span>
        <TextLink href={`/applications/${applicationId}/move/${version.subscription.id}`} inherit>
          {t('deprecation.move')}
        </TextLink>
      </>
    )
  return (
    <div className={classes['deprecation']}>
      <details>
        <summary>
          {end === undefined ? (
            <Message id="deprecation.noDate" values={{ name, version: number }} tags={{ rest }} />
          ) : (
            <Message
              id="deprecation.ends"
              values={{ name, version: number, day: <Day date={end} /> }}
              tags={{ rest }}
            />
          )}
        </summary>
        <div>
          {changes} <StillCalled applicationId={applicationId} version={version} />
        </div>
      </details>
      {changes === undefined ? null : <div className={classes['beside']}>{changes}</div>}
    </div>
  )
}

function StillCalled({ applicationId, version }: NoticeProps) {
  const called = useCalledOperations(applicationId, version)
  if (called === undefined) return <Slow />
  if (called.length === 0) return t('deprecation.noCalls')
  return (
    <>
      {t('deprecation.calls', {
        count: called.reduce((sum, { admitted }) => sum + admitted, 0),
      })}
      <ul>
        {called.map(({ operation, admitted }) => (
          <li key={operation}>
            <Message
              id={
                isGone(version, operation) ? 'deprecation.operationGone' : 'deprecation.operation'
              }
              values={{
                operation: <bdi>{nameOf(version, operation)}</bdi>,
                calls: counted(admitted, 'call'),
                successor: version.lifecycle.successor ?? '',
              }}
            />
          </li>
        ))}
      </ul>
    </>
  )
}

/** Operations of a version that the application called in the last 30 days, most calls first. Undefined while loading. */
function useCalledOperations(applicationId: string, version: SubscribedVersion) {
  const { data: history } = useHistory(applicationId, { span: '30d' })
  return history?.operations
    .filter(({ api, version: of }) => api === version.api && of === version.version)
    .filter(({ operation, admitted }) => operation !== null && admitted > 0)
    .toSorted((a, b) => b.admitted - a.admitted)
}

function nameOf({ operations }: SubscribedVersion, id: string | null): string {
  return operations.find((operation) => operation.id === id)?.summary ?? id ?? ''
}

function isGone({ operations, lifecycle }: SubscribedVersion, id: string | null): boolean {
  const { successor } = lifecycle
  const operation = operations.find((each) => each.id === id)
  if (successor === undefined || operation === undefined) return false
  return !operation.availableIn.includes(successor)
}
