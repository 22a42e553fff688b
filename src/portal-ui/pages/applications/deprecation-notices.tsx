import { Alert, Anchor, List, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useHistory } from '../../api/usage.ts'
import { Day } from '../../components/day.tsx'
import { counted, wholeNumber } from '../../in-words.ts'
import { diffPath } from '../../published.ts'
import classes from './applications.module.css'
import { type SubscribedVersion, useSubscribedVersions } from './subscribed-versions.ts'

/** For every subscription to a version that is about to end: when, its successor, and the operations that this application still calls. */
export function DeprecationNotices({ applicationId }: { readonly applicationId: string }) {
  const { versions = [] } = useSubscribedVersions(applicationId)
  const deprecated = versions.filter(({ isDeprecated }) => isDeprecated)
  return deprecated.map((version) => (
    <Notice key={version.subscription.id} applicationId={applicationId} version={version} />
  ))
}

interface NoticeProps {
  readonly applicationId: string
  readonly version: SubscribedVersion
}

function Notice({ applicationId, version }: NoticeProps) {
  const { api, title, lifecycle } = version
  const { sunset, successor, retired } = lifecycle
  const end = retired ?? sunset
  return (
    <Alert color="amber" title={`${title} ${version.version} is deprecated`}>
      <Stack gap="xs">
        <Text size="sm">
          {end === undefined ? (
            'Its end is announced but has no date yet. '
          ) : (
            <>
              Its end is announced for <Day date={end} />.{' '}
            </>
          )}
          {successor === undefined ? null : (
            <>
              Move to {successor}:{' '}
              <Anchor
                component={Link}
                href={diffPath(api, version.version, successor)}
                inherit
                underline="always"
              >
                what changes from {version.version} to {successor}
              </Anchor>
              .
            </>
          )}
        </Text>
        <OwnCalls applicationId={applicationId} version={version} />
      </Stack>
    </Alert>
  )
}

function OwnCalls({ applicationId, version }: NoticeProps) {
  const { data: history } = useHistory(applicationId, '30d')
  if (history === undefined) return null
  const called = history.operations
    .filter(({ api, version: of }) => api === version.api && of === version.version)
    .filter((total) => total.operation !== null && total.admitted > 0)
    .toSorted((a, b) => b.admitted - a.admitted)
  if (called.length === 0) {
    return <Text size="sm">This application made no calls to it in the last 30 days.</Text>
  }
  const sum = called.reduce((calls, total) => calls + total.admitted, 0)
  return (
    <details className={classes['details']}>
      <summary>
        This application called it {sum === 1 ? 'once' : `${wholeNumber(sum)} times`} in the last 30
        days
      </summary>
      <List size="sm">
        {called.map((total) => (
          <List.Item key={total.operation}>
            {nameOf(version, total.operation)}: {counted(total.admitted, 'call')}
            {isGone(version, total.operation)
              ? `, and ${version.lifecycle.successor} does not have it`
              : ''}
          </List.Item>
        ))}
      </List>
    </details>
  )
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
