import { Badge, Group } from '@mantine/core'
import type { PublishedVersion } from '../../gateway/portal/schemas/catalogue.ts'
import { Day } from './day.tsx'

/** The lifecycle state of a version: current, deprecated (with its last day) or retired. */
export function LifecycleBadges({ version }: { readonly version: PublishedVersion }) {
  const { lifecycle, isDeprecated, isRetired } = version
  if (isRetired) {
    return (
      <Badge radius="sm" color="red" tt="none">
        retired
      </Badge>
    )
  }
  return (
    <Group gap={6}>
      {isDeprecated ? (
        <Badge radius="sm" color="amber" tt="none">
          deprecated
        </Badge>
      ) : (
        <Badge radius="sm" color="green" tt="none">
          current
        </Badge>
      )}
      {lifecycle.sunset === undefined ? null : (
        <Badge radius="sm" color="amber" tt="none">
          ends on <Day date={lifecycle.sunset} />
        </Badge>
      )}
    </Group>
  )
}
