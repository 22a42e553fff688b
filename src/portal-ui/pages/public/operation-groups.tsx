import { Badge, Group, Stack, Title } from '@mantine/core'
import type {
  PublishedOperation,
  PublishedVersion,
} from '../../../gateway/portal/schemas/catalogue.ts'
import { MethodBadge } from '../../components/method-badge.tsx'
import classes from './public.module.css'

export interface OperationGroupsProps {
  readonly version: PublishedVersion
  /** The oldest version of the API that is published. */
  readonly oldest: string | undefined
}

/** The operations of a version by subject, and those that only other versions have. */
export function OperationGroups({ version, oldest }: OperationGroupsProps) {
  const groups = Map.groupBy(version.operations, resourceOf)
  return (
    <Stack gap="xl">
      {[...groups].map(([resource, operations]) => (
        <Stack key={resource} gap="sm" component="section" aria-labelledby={`about-${resource}`}>
          <Title order={2} size="h3" id={`about-${resource}`}>
            {titleOf(resource)}
          </Title>
          <ul className={classes['operations']}>
            {operations.map((operation) => (
              <li key={operation.id} className={classes['operation']}>
                <MethodBadge method={operation.method} className={classes['method']} />
                <Group gap="xs">
                  <span className={classes['path']}>{operation.path}</span>
                  <Presence operation={operation} oldest={oldest} />
                </Group>
                <span className={classes['summary']}>{operation.summary}</span>
              </li>
            ))}
          </ul>
        </Stack>
      ))}
      {version.missing.length === 0 ? null : (
        <Stack gap="sm" component="section" aria-labelledby="not-here">
          <Title order={2} size="h3" id="not-here">
            Not in this version
          </Title>
          <ul className={classes['operations']}>
            {version.missing.map((operation) => (
              <li key={operation.id} className={classes['operation']}>
                <MethodBadge method={operation.method} className={classes['method']} />
                <Group gap="xs">
                  <span className={classes['path']}>{operation.template}</span>
                  <Badge radius="sm" color="amber" tt="none">
                    {operation.removedIn === null
                      ? `only in ${operation.availableIn.join(', ')}`
                      : `removed in ${operation.removedIn}`}
                  </Badge>
                </Group>
                <span className={classes['summary']}>{operation.summary}</span>
              </li>
            ))}
          </ul>
        </Stack>
      )}
    </Stack>
  )
}

/** Marks an operation that some versions lack. */
function Presence({
  operation,
  oldest,
}: {
  readonly operation: PublishedOperation
  readonly oldest: string | undefined
}) {
  const [first] = operation.availableIn
  const words =
    operation.removedIn !== null
      ? `removed in ${operation.removedIn}`
      : first === oldest
        ? undefined
        : `new in ${first}`
  if (words === undefined) return null
  return (
    <Badge radius="sm" color={operation.removedIn === null ? 'green' : 'amber'} tt="none">
      {words}
    </Badge>
  )
}

/** The subject of an operation: the first part of its path after the version. */
function resourceOf({ path }: PublishedOperation): string {
  return path.split('/').find((part, index) => index > 1 && !part.startsWith('{')) ?? 'other'
}

/** `card-accounts` → `Card accounts`. */
function titleOf(resource: string): string {
  const words = resource.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
