import { Group } from '@mantine/core'
import type { PublishedVersion } from '../../portal/api/schemas/catalogue.ts'
import { t } from '../words.ts'
import { Day } from './day.tsx'
import { Message } from './message.tsx'
import { Pill } from './pill.tsx'

/** The lifecycle state of a version: retired, current or deprecated; the latter two with the last day, if announced. */
export function LifecycleBadges({
  version,
}: {
  readonly version: Pick<PublishedVersion, 'lifecycle' | 'isDeprecated' | 'isRetired'>
}) {
  const { lifecycle, isDeprecated, isRetired } = version
  if (isRetired) return <Pill tone="bad">{t('lifecycle.retired')}</Pill>
  return (
    <Group gap={6} component="span">
      {isDeprecated ? (
        <Pill tone="warn">{t('lifecycle.deprecated')}</Pill>
      ) : (
        <Pill tone="ok">{t('lifecycle.current')}</Pill>
      )}
      {lifecycle.sunset === undefined ? null : (
        <Pill tone="warn">
          {/* One element: a pill is a flex box, which would put its gap between the words and the day. */}
          <span>
            <Message id="lifecycle.endsOn" values={{ day: <Day date={lifecycle.sunset} /> }} />
          </span>
        </Pill>
      )}
    </Group>
  )
}
