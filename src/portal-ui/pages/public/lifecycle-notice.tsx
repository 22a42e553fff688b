import type { PublishedVersion } from '../../../portal/api/schemas/catalogue.ts'
import { Day } from '../../components/day.tsx'
import { Message } from '../../components/message.tsx'
import { NoticeLine } from '../../components/notice-line.tsx'
import { pageLink } from '../../components/text-link.tsx'
import { diffPath, versionPath } from '../../published.ts'

export interface LifecycleNoticeProps {
  readonly api: string
  readonly version: PublishedVersion
}

/** Announces that a version ends or has ended, and what replaces it; nothing for a current version. */
export function LifecycleNotice({ api, version }: LifecycleNoticeProps) {
  const { lifecycle, isDeprecated, isRetired } = version
  const { sunset, successor } = lifecycle
  if (!isDeprecated && !isRetired && sunset === undefined) return null
  const message = isRetired
    ? 'version.retired'
    : isDeprecated
      ? sunset === undefined
        ? 'version.deprecated'
        : 'version.deprecatedWith'
      : 'version.endingWith'
  return (
    <NoticeLine tone={isRetired ? 'bad' : 'warn'}>
      <Message
        id={message}
        values={{ day: sunset === undefined ? '' : <Day key="day" date={sunset} /> }}
      />{' '}
      {successor === undefined ? null : (
        <Message
          id="version.moveTo"
          values={{ successor: <bdi key="successor">{successor}</bdi> }}
          tags={{
            version: pageLink(versionPath(api, successor)),
            changes: pageLink(diffPath(api, version.version, successor)),
          }}
        />
      )}
    </NoticeLine>
  )
}
