import {
  Alert,
  Anchor,
  Button,
  Group,
  NativeSelect,
  Paper,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { Link, useLocation, useParams } from 'wouter'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import type { PublishedApi, PublishedVersion } from '../../../gateway/portal/schemas/catalogue.ts'
import { useApis } from '../../api/catalogue.ts'
import { Day } from '../../components/day.tsx'
import { LifecycleBadges } from '../../components/lifecycle-badges.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { counted } from '../../in-words.ts'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { Page } from '../../layout/page.tsx'
import { diffPath, documentPath, referencePath, versionPath } from '../../published.ts'
import { HowToCall } from './how-to-call.tsx'
import { OperationGroups } from './operation-groups.tsx'
import { PlanList } from './plan-list.tsx'
import classes from './public.module.css'

/** One version of an API: its operations, its plans and how to call it. */
export function VersionPage() {
  const params = useParams<{ api: string; version: string }>()
  const apis = useApis()
  if (apis.data === undefined) {
    return (
      <Page title={`${params.api} ${params.version}`}>
        <QueryState query={apis} />
      </Page>
    )
  }
  const published = apis.data.items.find(({ api }) => api === params.api)
  const version = published?.versions.find((known) => known.version === params.version)
  if (published === undefined || version === undefined) return <NotFoundPage />
  return <Version published={published} version={version} />
}

interface VersionProps {
  readonly published: PublishedApi
  readonly version: PublishedVersion
}

function Version({ published, version }: VersionProps) {
  const { api } = published
  return (
    <Page
      title={`${version.title} ${version.version}`}
      lead={
        <Group gap="sm">
          <LifecycleBadges version={version} />
          <span>
            {api}, {counted(version.operations.length, 'operation')}
          </span>
        </Group>
      }
      actions={<VersionPicker published={published} current={version.version} />}
    >
      <LifecycleNotice published={published} version={version} />
      <div className={classes['columns']}>
        <OperationGroups version={version} oldest={published.versions[0]?.version} />
        <Stack gap="lg" component="aside" aria-label="Terms" className={classes['aside'] ?? ''}>
          <Paper withBorder p="lg" bg="var(--surface)">
            <Stack gap="md">
              <Title order={2} size="h4">
                Plans
              </Title>
              <PlanList plans={version.plans} />
              {version.isRetired ? null : (
                <Button component={Link} href={pagePaths.applications}>
                  Subscribe an application
                </Button>
              )}
            </Stack>
          </Paper>
          <Stack gap={6} className={classes['inline'] ?? ''}>
            {version.isRetired ? null : (
              <Anchor href="#how-to-call" underline="always">
                How to call it
              </Anchor>
            )}
            <Anchor href={referencePath(api, version.version)} underline="always">
              Reference with every field
            </Anchor>
            <Anchor
              href={documentPath(api, version.version)}
              download={`${api}-${version.version}.json`}
              underline="always"
            >
              OpenAPI document (JSON)
            </Anchor>
            {published.versions
              .filter((other) => other.version !== version.version)
              .map((other) => (
                <TextLink
                  key={other.version}
                  href={
                    isOlder(published, other, version)
                      ? diffPath(api, other.version, version.version)
                      : diffPath(api, version.version, other.version)
                  }
                >
                  Compare with {other.version}
                </TextLink>
              ))}
          </Stack>
        </Stack>
      </div>
      {version.isRetired ? null : <HowToCall api={api} version={version} />}
    </Page>
  )
}

function VersionPicker({
  published,
  current,
}: {
  readonly published: PublishedApi
  readonly current: string
}) {
  const [, navigate] = useLocation()
  if (published.versions.length < 2) return null
  return (
    <NativeSelect
      label="Version"
      value={current}
      data={published.versions.toReversed().map(({ version }) => version)}
      onChange={(event) => navigate(versionPath(published.api, event.currentTarget.value))}
    />
  )
}

function LifecycleNotice({ published, version }: VersionProps) {
  const { lifecycle, isDeprecated, isRetired } = version
  if (!isDeprecated && !isRetired && lifecycle.sunset === undefined) return null
  const { successor } = lifecycle
  return (
    <Alert color={isRetired ? 'red' : 'amber'} title={noticeTitle(version)}>
      {isRetired ? <Text size="sm">Every call gets a 410 error.</Text> : null}
      {!isRetired && lifecycle.sunset !== undefined ? (
        <Text size="sm">
          It ends on <Day date={lifecycle.sunset} />
          {lifecycle.deprecated === undefined ? null : (
            <>
              {' '}
              and is deprecated since <Day date={lifecycle.deprecated} />
            </>
          )}
          .
        </Text>
      ) : null}
      {successor === undefined ? null : (
        <Text size="sm">
          Move to <TextLink href={versionPath(published.api, successor)}>{successor}</TextLink>:{' '}
          <TextLink href={diffPath(published.api, version.version, successor)}>
            what changes
          </TextLink>
          .
        </Text>
      )}
    </Alert>
  )
}

function noticeTitle({ isRetired, isDeprecated }: PublishedVersion): string {
  if (isRetired) return 'This version is retired'
  return isDeprecated ? 'This version is deprecated' : 'This version will end'
}

function isOlder(published: PublishedApi, one: PublishedVersion, other: PublishedVersion): boolean {
  return published.versions.indexOf(one) < published.versions.indexOf(other)
}
