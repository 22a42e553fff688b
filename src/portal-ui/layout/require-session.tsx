import type { ReactNode } from 'react'
import { Redirect, useLocation, useSearch } from 'wouter'
import { pagePaths } from '../../portal/pages/page-paths.ts'
import { useSession } from '../api/session.ts'
import { ProblemAlert } from '../components/problem-alert.tsx'
import { Slow } from '../components/slow.tsx'
import { useFacts } from '../facts.tsx'
import { t } from '../words.ts'
import { Frame } from './frame.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { Page } from './page.tsx'
import { TermsQuestion } from './terms-question.tsx'

export interface RequireSessionProps {
  /** Other developers see the page for an unknown address. */
  readonly operatorsOnly?: boolean
  readonly children: ReactNode
}

/**
 * Shows a page to signed-in developers; sends visitors to sign-in and then back, sends developers who must add a second
 * factor to the profile, and asks for terms that were never accepted.
 */
export function RequireSession({ operatorsOnly = false, children }: RequireSessionProps) {
  const session = useSession()
  const { terms } = useFacts().brand
  const [path] = useLocation()
  const search = useSearch()
  if (session.isError) {
    return (
      <Page title={t('session.unavailable')}>
        <ProblemAlert error={session.error} onRetry={() => void session.refetch()} />
      </Page>
    )
  }
  if (session.data === undefined) {
    return (
      <Frame>
        <Slow />
      </Frame>
    )
  }
  if (session.data === null) {
    const next = new URLSearchParams({ next: search === '' ? path : `${path}?${search}` })
    return <Redirect to={`${pagePaths.signIn}?${next}`} replace />
  }
  if (session.data.needsFactor && path !== pagePaths.profile) {
    return <Redirect to={pagePaths.profile} replace />
  }
  const { developer } = session.data
  if (operatorsOnly && !developer.isOperator) return <NotFoundPage />
  // The profile stays open: there, a developer who does not accept can download the data or delete the account.
  const isAsked = terms !== null && developer.acceptedTerms === null && !developer.isOperator
  if (isAsked && path !== pagePaths.profile) return <TermsQuestion terms={terms} />
  return children
}
