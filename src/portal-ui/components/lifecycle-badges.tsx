import { Group } from '@mantine/core'
import type { PublishedVersion } from '../../portal/api/schemas/catalogue.ts'
import { t } from '../words.ts'
import { Day } from './day.tsx'
import { Message } from './message.tsx'
import { Pill } from './pill.tsx'

/** The lifecycle state of a version: current, deprecated (with its last day) or retired. */
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
          <span>
            <Message id="lifecycle.endsOn" values={{ day: <Day date={lifecycle.sunset} /> }} />
          </span>
        </Pill>
      )}
    </Group>
  )
}
