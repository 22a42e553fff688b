import { Stack } from '@mantine/core'
import { useEffect } from 'react'
import { Redirect, useParams } from 'wouter'
import { applicationTabs } from '../../../gateway/portal/page-paths.ts'
import type { Application } from '../../../gateway/portal/schemas/applications.ts'
import { useApplication } from '../../api/applications.ts'
import { isProblem } from '../../api/client.ts'
import { useApprovedConsents } from '../../api/sandbox.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Message } from '../../components/message.tsx'
import { NoticeLine } from '../../components/notice-line.tsx'
import { Pill } from '../../components/pill.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import { useFacts } from '../../facts.tsx'
import { Page } from '../../layout/page.tsx'
import { type ApplicationTab, tabPath } from '../../tab-path.ts'
import { t } from '../../words.ts'
import { AlertsTab } from './alerts-tab.tsx'
import { ApplicationFrame } from './application-frame.tsx'
import { AskForCalls } from './ask-for-calls.tsx'
import { CallsTab } from './calls-tab.tsx'
import { CheckListLine } from './check-list.tsx'
import { DeprecationNotices } from './deprecation-notices.tsx'
import { KeysTab } from './keys-tab.tsx'
import { NextStep } from './next-step.tsx'
import classes from './overview.module.css'
import { OverviewTab } from './overview-tab.tsx'
import { type PageMemory, usePageMemory } from './page-memory.ts'
import { SettingsTab } from './settings-tab.tsx'
import { SubscriptionsTab } from './subscriptions-tab.tsx'
import { tabTitle } from './tab-words.ts'
import { TryTab } from './try-tab.tsx'
import { UsageTab } from './usage-tab.tsx'

/** One application: its side bar, what needs attention, and one of its parts. */
export function ApplicationPage() {
  const { id = '', tab } = useParams()
  const application = useApplication(id)
  if (tab === 'try') return <MovedToPlayground id={id} />
  const known = tabNamed(tab)
  if (application.data !== undefined) {
    if (known === undefined) return <Unknown />
    return <Loaded key={id} application={application.data} tab={known} />
  }
  if (isProblem(application.error, 'NOT_FOUND')) return <Unknown />
  return (
    <Page title={t('application.title')}>
      <QueryState query={application} label={t('application.loading')} />
    </Page>
  )
}

/** Links from before lead on, with what they ask for. */
function MovedToPlayground({ id }: { readonly id: string }) {
  const { search, hash } = window.location
  return <Redirect to={`${tabPath(id, 'playground')}${search}${hash}`} replace />
}

interface LoadedProps {
  readonly application: Application
  readonly tab: ApplicationTab
}

function Loaded({ application, tab }: LoadedProps) {
  const { id, name, suspendedAt } = application
  const memory = usePageMemory(id)
  useApprovedMemory(id, memory, tab === 'playground')
  const title = tabTitle(tab)
  return (
    <ApplicationFrame application={application} current={tab}>
      <Page
        // A new part is a new page: its heading takes the focus.
        key={tab}
        width="inner"
        title={t('application.pageTitle', { part: title, name })}
        heading={tab === 'overview' ? <Heading application={application} /> : title}
      >
        <Stack gap="sm">
          {suspendedAt === null ? null : (
            <NoticeLine tone="bad">
              <Message id="application.suspended" values={{ time: <Time at={suspendedAt} /> }} />
            </NoticeLine>
          )}
          <DeprecationNotices applicationId={id} />
          <NextStep applicationId={id} tab={tab} />
          <TabContent application={application} tab={tab} memory={memory} />
          {tab === 'subscriptions' || tab === 'usage' ? <AskForCalls applicationId={id} /> : null}
          {tab === 'overview' || tab === 'keys' ? null : (
            <CheckListLine applicationId={id} isAtUsage={tab === 'usage'} />
          )}
        </Stack>
      </Page>
    </ApplicationFrame>
  )
}

function Heading({ application: { name, suspendedAt } }: { readonly application: Application }) {
  const isActive = suspendedAt === null
  return (
    <span className={classes['headingLine']}>
      <bdi>{name}</bdi>
      <Pill tone={isActive ? 'ok' : 'bad'} hasDot>
        {t(isActive ? 'application.stateActive' : 'application.stateSuspended')}
      </Pill>
    </span>
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

interface TabContentProps extends LoadedProps {
  readonly memory: PageMemory
}

function TabContent({ application, tab, memory }: TabContentProps) {
  const applicationId = application.id
  switch (tab) {
    case 'overview':
      return <OverviewTab applicationId={applicationId} memory={memory} />
    case 'keys':
      return <KeysTab applicationId={applicationId} memory={memory} />
    case 'subscriptions':
      return <SubscriptionsTab applicationId={applicationId} memory={memory} />
    case 'usage':
      return <UsageTab applicationId={applicationId} />
    case 'calls':
      return <CallsTab applicationId={applicationId} />
    case 'playground':
      return <TryTab applicationId={applicationId} memory={memory} />
    case 'alerts':
      return <AlertsTab applicationId={applicationId} />
    case 'settings':
      return <SettingsTab application={application} />
  }
}

function Unknown() {
  return (
    <Page title={t('application.notFound')}>
      <EmptyState
        title={t('application.nothingHere')}
        action={<TextLink href="/applications">{t('application.all')}</TextLink>}
      >
        {t('application.nothingHereWhy')}
      </EmptyState>
    </Page>
  )
}

function tabNamed(name: string | undefined): ApplicationTab | undefined {
  return name === undefined ? 'overview' : applicationTabs.find((tab) => tab === name)
}
