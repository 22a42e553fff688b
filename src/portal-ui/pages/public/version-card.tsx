import { Anchor, Group, Paper, Text, Title } from '@mantine/core'
import type { PublishedVersion } from '../../../gateway/portal/schemas/catalogue.ts'
import { LifecycleBadges } from '../../components/lifecycle-badges.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { counted } from '../../in-words.ts'
import { documentPath, referencePath, versionPath } from '../../published.ts'
import { PlanList } from './plan-list.tsx'
import classes from './public.module.css'

export interface VersionCardProps {
  readonly api: string
  readonly version: PublishedVersion
}

/** One version on the first page: lifecycle, operations and plans. */
export function VersionCard({ api, version }: VersionCardProps) {
  const { version: name, operations, missing, plans } = version
  const removed = missing.filter(({ removedIn }) => removedIn === name)
  return (
    <Paper withBorder p="lg" className={classes['version'] ?? ''}>
      <Group justify="space-between" align="center" gap="xs">
        <Title order={3}>
          {api} {name}
        </Title>
        <LifecycleBadges version={version} />
      </Group>
      <Text>
        {counted(operations.length, 'operation')}
        {removed.length === 0 ? null : (
          <Text span c="dimmed">
            {' '}
            · {removed.length} removed in {name}
          </Text>
        )}
      </Text>
      <PlanList plans={plans} />
      <div className={classes['links']}>
        <TextLink href={versionPath(api, name)} aria-label={`Operations of ${api} ${name}`}>
          Operations
        </TextLink>
        <Anchor
          href={referencePath(api, name)}
          underline="always"
          aria-label={`Reference of ${api} ${name}`}
        >
          Reference
        </Anchor>
        <Anchor
          href={documentPath(api, name)}
          underline="always"
          download={`${api}-${name}.json`}
          aria-label={`OpenAPI document of ${api} ${name}`}
        >
          OpenAPI
        </Anchor>
      </div>
    </Paper>
  )
}
