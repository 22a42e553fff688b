import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { pagePaths } from '../../../gateway/portal/page-paths.ts'
import type { PublishedApi } from '../../../gateway/portal/schemas/catalogue.ts'
import { useApis, usePortalFacts } from '../../api/catalogue.ts'
import { useSession } from '../../api/session.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Page } from '../../layout/page.tsx'
import { diffPath } from '../../published.ts'
import classes from './public.module.css'
import { VersionCard } from './version-card.tsx'

/** The first page: the published APIs, their plans and how to start. */
export function LandingPage() {
  const apis = useApis()
  return (
    <Page
      title="APIs of the bank"
      lead="Sign up, create an application and make your first call in minutes, all in this browser."
    >
      <Start />
      <QueryState query={apis} label="Loading the APIs …" />
      {apis.data?.items.length === 0 ? (
        <EmptyState title="Nothing is published yet">
          APIs appear here, with their versions and plans, when the operator publishes them.
        </EmptyState>
      ) : null}
      {apis.data?.items.toSorted(byOperations).map((published) => (
        <ApiSection key={published.api} published={published} />
      ))}
    </Page>
  )
}

/** The API with the most operations first: it is the one that most developers come for. */
function byOperations(a: PublishedApi, b: PublishedApi): number {
  return operationsOf(b) - operationsOf(a)
}

function operationsOf({ versions }: PublishedApi): number {
  return versions.at(-1)?.operations.length ?? 0
}

function Start() {
  const { data: session } = useSession()
  return (
    <Stack component="section" gap="lg" aria-label="How to begin">
      {session === undefined ? null : session === null ? (
        <WayIn />
      ) : (
        <Group>
          <Button component={Link} href={pagePaths.applications} size="md">
            Your applications
          </Button>
        </Group>
      )}
      <ol className={classes['steps']}>
        <li className={classes['step']}>
          <strong>Sign up</strong>
          <span>Enter your email. We send you a link to choose a password.</span>
        </li>
        <li className={classes['step']}>
          <strong>Create an application</strong>
          <span>Subscribe it to an API version and create a key.</span>
        </li>
        <li className={classes['step']}>
          <strong>Call</strong>
          <span>Use the command beside the key. You always see what you have left.</span>
        </li>
      </ol>
    </Stack>
  )
}

function WayIn() {
  const { data: facts } = usePortalFacts()
  return (
    <Stack gap="xs" align="flex-start">
      <Group gap="sm">
        {facts?.signUp === 'off' ? null : (
          <Button component={Link} href={pagePaths.signUp} size="md">
            Sign up
          </Button>
        )}
        <Button component={Link} href={pagePaths.signIn} size="md" variant="default">
          Sign in
        </Button>
      </Group>
      {facts?.signUp === 'off' ? (
        <Text size="sm" c="dimmed">
          Sign-up is closed at the moment.
        </Text>
      ) : null}
      {facts?.signUp === 'approval' ? (
        <Text size="sm" c="dimmed">
          An operator approves each new account.
        </Text>
      ) : null}
    </Stack>
  )
}

function ApiSection({ published }: { readonly published: PublishedApi }) {
  const { api, title, versions } = published
  const newestFirst = versions.toReversed()
  const [newest, previous] = newestFirst
  return (
    <Stack component="section" gap="md" aria-labelledby={`api-${api}`}>
      <Group justify="space-between" align="baseline" gap="xs">
        <Title order={2} id={`api-${api}`}>
          {title}
        </Title>
        {newest === undefined || previous === undefined ? null : (
          <TextLink href={diffPath(api, previous.version, newest.version)}>
            What changed from {previous.version} to {newest.version}
          </TextLink>
        )}
      </Group>
      <div className={classes['versions']}>
        {newestFirst.map((version) => (
          <VersionCard key={version.version} api={api} version={version} />
        ))}
      </div>
    </Stack>
  )
}
