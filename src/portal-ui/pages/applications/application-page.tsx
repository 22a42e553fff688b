import { Alert, Badge, Stack } from '@mantine/core'
import { useEffect } from 'react'
import { useParams } from 'wouter'
import { applicationTabs } from '../../../gateway/portal/page-paths.ts'
import type { Application } from '../../../gateway/portal/schemas/applications.ts'
import { useApplication } from '../../api/applications.ts'
import { isProblem } from '../../api/client.ts'
import { useApprovedConsents } from '../../api/sandbox.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import { useFacts } from '../../facts.tsx'
import { Page } from '../../layout/page.tsx'
import type { ApplicationTab } from '../../tab-path.ts'
import { CallsTab } from './calls-tab.tsx'
import { CheckListLine } from './check-list.tsx'
import { DeprecationNotices } from './deprecation-notices.tsx'
import { HistorySection } from './history-section.tsx'
import { KeysTab } from './keys-tab.tsx'
import { LiveSection } from './live-section.tsx'
import { NextStep } from './next-step.tsx'
import { type PageMemory, usePageMemory } from './page-memory.ts'
import { SettingsTab } from './settings-tab.tsx'
import { SubscriptionsTab } from './subscriptions-tab.tsx'
import { TabLinks, tabTitles } from './tab-links.tsx'
import { TryTab } from './try-tab.tsx'

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
      <QueryState query={application} label="Loading the application …" />
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
  useApprovedMemory(id, memory, tab === 'try')
  if (tab === undefined) return <Unknown />
  return (
    <Page
      title={`${tabTitles[tab]} · ${name}`}
      heading={<bdi>{name}</bdi>}
      lead={
        <>
          Created <Time at={createdAt} />
          {suspendedAt === null ? null : (
            <Badge color="red" ms="sm">
              Suspended
            </Badge>
          )}
        </>
      }
    >
      <Stack gap="lg">
        {suspendedAt === null ? null : (
          <Alert color="red" title="This application is suspended">
            An operator suspended it on <Time at={suspendedAt} />. The gateway refuses its calls
            with 403 until an operator resumes it.
          </Alert>
        )}
        <DeprecationNotices applicationId={id} />
        <NextStep applicationId={id} tab={tab} />
        <TabLinks applicationId={id} current={tab} />
        {tab === 'keys' ? null : <CheckListLine applicationId={id} isAtUsage={tab === 'usage'} />}
        <TabContent application={application} tab={tab} memory={memory} />
      </Stack>
    </Page>
  )
}

/** Keeps the consents of the memory as the bank has them while `isAwaited`. */
function useApprovedMemory(id: string, { noteApproved }: PageMemory, isAwaited: boolean): void {
  const { hasSandbox } = useFacts()
  const { data } = useApprovedConsents(id, hasSandbox && isAwaited)
  useEffect(() => {
    if (data !== undefined) noteApproved(data.items)
  }, [data, noteApproved])
}

interface TabContentProps {
  readonly application: Application
  readonly tab: ApplicationTab
  readonly memory: PageMemory
}

function TabContent({ application, tab, memory }: TabContentProps) {
  const applicationId = application.id
  switch (tab) {
    case 'keys':
      return <KeysTab applicationId={applicationId} memory={memory} />
    case 'subscriptions':
      return <SubscriptionsTab applicationId={applicationId} memory={memory} />
    case 'usage':
      return (
        <Stack gap="xl">
          <LiveSection applicationId={applicationId} />
          <HistorySection applicationId={applicationId} />
        </Stack>
      )
    case 'calls':
      return <CallsTab applicationId={applicationId} />
    case 'try':
      return <TryTab applicationId={applicationId} memory={memory} />
    case 'settings':
      return <SettingsTab application={application} />
  }
}

function Unknown() {
  return (
    <Page title="Application not found">
      <EmptyState
        title="There is nothing at this address"
        action={<TextLink href="/applications">All applications</TextLink>}
      >
        The application was deleted, belongs to another developer, or the address is misspelled.
      </EmptyState>
    </Page>
  )
}

function tabNamed(name: string | undefined): ApplicationTab | undefined {
  return name === undefined ? 'keys' : applicationTabs.find((tab) => tab === name)
}
