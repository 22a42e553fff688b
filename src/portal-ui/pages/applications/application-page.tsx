// This folder has the applications of a developer. `applications-page.tsx` lists them, and this file is the page of
// one; `tabs.ts` lists its tabs. `keys/`, `limits/`, `calls/`, `alerts/` and `try/` have its larger parts.

import { Stack } from '@mantine/core'
import { useEffect } from 'react'
import { Redirect, useParams } from 'wouter'
import type { Application } from '../../../portal/api/schemas/applications.ts'
import { applicationTabs } from '../../../portal/pages/page-paths.ts'
import { useApplication } from '../../api/applications.ts'
import { isProblem } from '../../api/client.ts'
import { useApprovedConsents } from '../../api/sandbox.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Message } from '../../components/message.tsx'
import { NoticeLine } from '../../components/notice-line.tsx'
import { Pill } from '../../components/pill.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { Settled } from '../../components/settled.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { Time } from '../../components/time.tsx'
import { useFacts } from '../../facts.tsx'
import { Page } from '../../layout/page.tsx'
import { type ApplicationTab, tabPath } from '../../tab-path.ts'
import { t } from '../../words.ts'
import { ApplicationFrame } from './application-frame.tsx'
import { DeprecationNotices } from './deprecation-notices.tsx'
import { UnstoredKey } from './keys/unstored-key.tsx'
import classes from './overview.module.css'
import { type PageMemory, usePageMemory } from './page-memory.ts'
import { tabTitle } from './tab-words.ts'
import { tabs } from './tabs.ts'
import { CheckListLine } from './try/check-list.tsx'
import { NextStep } from './try/next-step.tsx'

/** One application: its side bar, what needs attention, and one of its parts. */
export function ApplicationPage() {
  const { id = '', tab } = useParams()
  const application = useApplication(id)
  const known = tabNamed(tab)
  if (tab === 'try') return <MovedToPlayground id={id} />
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

/** Redirects old links, with their query. */
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
  const Tab = tabs[tab]
  return (
    <ApplicationFrame application={application} current={tab}>
      <UnstoredKey applicationId={id} memory={memory} />
      <Page
        // A new part is a new page: its heading takes the focus.
        key={tab}
        width="inner"
        title={t('application.pageTitle', { part: title, name })}
        heading={tab === 'overview' ? <Heading application={application} /> : title}
      >
        <Settled>
          <Stack gap="sm">
            {suspendedAt === null ? null : (
              <NoticeLine tone="bad">
                <Message id="application.suspended" values={{ time: <Time at={suspendedAt} /> }} />
              </NoticeLine>
            )}
            {tellsOfEnds.has(tab) ? <DeprecationNotices applicationId={id} /> : null}
            {tab === 'overview' ? null : <NextStep applicationId={id} tab={tab} />}
            <Tab application={application} applicationId={id} memory={memory} />
            {tab === 'overview' ? null : (
              <CheckListLine applicationId={id} isAtUsage={tab === 'usage'} />
            )}
          </Stack>
        </Settled>
      </Page>
    </ApplicationFrame>
  )
}

/** Parts that show the end of a version; on every part it would soon be overlooked. */
const tellsOfEnds: ReadonlySet<ApplicationTab> = new Set(['overview', 'subscriptions', 'usage'])

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
