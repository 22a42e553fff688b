import { Alert, Anchor, Badge, Stack } from '@mantine/core'
import { Link, useParams } from 'wouter'
import { applicationTabs } from '../../../gateway/portal/page-paths.ts'
import type { Application } from '../../../gateway/portal/schemas/applications.ts'
import { useApplication } from '../../api/applications.ts'
import { isProblem } from '../../api/client.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Slow } from '../../components/slow.tsx'
import { Time } from '../../components/time.tsx'
import { Page } from '../../layout/page.tsx'
import { ApplicationActions } from './application-actions.tsx'
import { CallsTab } from './calls-tab.tsx'
import { DeprecationNotices } from './deprecation-notices.tsx'
import { KeysTab } from './keys-tab.tsx'
import { NextStep } from './next-step.tsx'
import { type PageMemory, usePageMemory } from './page-memory.ts'
import { SignedCalls } from './signed-calls.tsx'
import { SubscriptionsTab } from './subscriptions-tab.tsx'
import { TabLinks, tabTitles } from './tab-links.tsx'
import type { ApplicationTab } from './tab-path.ts'
import { TryTab } from './try-tab.tsx'
import { UsageTab } from './usage-tab.tsx'

/** One application: what it is called, what needs attention, and its tabs. */
export function ApplicationPage() {
  const { id = '', tab } = useParams()
  const application = useApplication(id)
  if (application.data !== undefined) {
    return <Loaded key={id} application={application.data} tab={tabNamed(tab)} />
  }
  if (isProblem(application.error, 'NOT_FOUND')) return <Unknown />
  return (
    <Page title="Application">
      {application.isPending ? <Slow label="Loading the application …" /> : null}
      <ProblemAlert error={application.error} onRetry={() => void application.refetch()} />
    </Page>
  )
}

function Loaded({
  application,
  tab,
}: {
  readonly application: Application
  readonly tab: ApplicationTab | undefined
}) {
  const memory = usePageMemory()
  const { id, name, createdAt, suspendedAt } = application
  if (tab === undefined) return <Unknown />
  return (
    <Page
      title={`${tabTitles[tab]} · ${name}`}
      heading={<bdi>{name}</bdi>}
      lead={
        <>
          Created <Time at={createdAt} />
          {suspendedAt === null ? null : (
            <Badge color="red" variant="light" ml="sm">
              Suspended
            </Badge>
          )}
        </>
      }
      actions={<ApplicationActions application={application} />}
    >
      <Stack gap="lg">
        {suspendedAt === null ? null : (
          <Alert color="red" title="This application is suspended">
            An operator suspended it on <Time at={suspendedAt} />. Its calls are refused with 403
            until it is resumed. Ask the operator of this gateway.
          </Alert>
        )}
        <DeprecationNotices applicationId={id} />
        <NextStep applicationId={id} tab={tab} />
        <SignedCalls application={application} />
        <TabLinks applicationId={id} current={tab} />
        <TabContent applicationId={id} tab={tab} memory={memory} />
      </Stack>
    </Page>
  )
}

interface TabContentProps {
  readonly applicationId: string
  readonly tab: ApplicationTab
  readonly memory: PageMemory
}

function TabContent({ applicationId, tab, memory }: TabContentProps) {
  switch (tab) {
    case 'keys':
      return <KeysTab applicationId={applicationId} memory={memory} />
    case 'subscriptions':
      return <SubscriptionsTab applicationId={applicationId} />
    case 'usage':
      return <UsageTab applicationId={applicationId} />
    case 'calls':
      return <CallsTab applicationId={applicationId} />
    case 'try':
      return <TryTab applicationId={applicationId} memory={memory} />
  }
}

function Unknown() {
  return (
    <Page title="There is no such application">
      <EmptyState
        title="Nothing is at this address"
        action={
          <Anchor component={Link} href="/applications">
            All applications
          </Anchor>
        }
      >
        The application was deleted, belongs to somebody else, or the address is misspelled.
      </EmptyState>
    </Page>
  )
}

function tabNamed(name: string | undefined): ApplicationTab | undefined {
  return name === undefined ? 'keys' : applicationTabs.find((tab) => tab === name)
}
