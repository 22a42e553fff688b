import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useApplicationSummaries, useApplications } from '../../api/applications.ts'
import { useApis } from '../../api/catalogue.ts'
import { QueryState } from '../../components/query-state.tsx'
import { Page } from '../../layout/page.tsx'
import { tabPath } from '../../tab-path.ts'
import { t } from '../../words.ts'
import { ApplicationTable } from './application-table.tsx'
import { CreateApplication } from './create-application.tsx'
import { FirstApplication } from './try/first-application.tsx'

/** The developer's applications, and the form that creates one. */
export function ApplicationsPage() {
  const applications = useApplications()
  const summaries = useApplicationSummaries()
  const [isCreating, setIsCreating] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const [, navigate] = useLocation()
  const items = applications.data?.items ?? []
  const isEmpty = applications.data !== undefined && items.length === 0

  const cancel = () => {
    setIsCreating(false)
    requestAnimationFrame(() => trigger.current?.focus())
  }

  return (
    <Page
      title={t('applications.title')}
      lead={t(isEmpty ? 'applications.leadEmpty' : 'applications.lead')}
      actions={
        items.length === 0 ? null : (
          <Button ref={trigger} onClick={() => setIsCreating(true)} disabled={isCreating}>
            {t('applications.create')}
          </Button>
        )
      }
    >
      {isCreating && !isEmpty ? (
        <CreateApplication
          onCreated={({ id }) => navigate(tabPath(id, 'subscriptions'))}
          onCancel={cancel}
        />
      ) : null}
      <QueryState query={applications} label={t('applications.loading')} />
      {isEmpty ? <First /> : null}
      {items.length === 0 ? null : (
        <ApplicationTable applications={items} summaries={summaries.data?.items ?? []} />
      )}
    </Page>
  )
}

function First() {
  const apis = useApis()
  return apis.data === undefined ? (
    <QueryState query={apis} label={t('landing.loading')} />
  ) : (
    <FirstApplication apis={apis.data} />
  )
}
