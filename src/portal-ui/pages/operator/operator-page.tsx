// This folder has the pages for operators. This file shows one section at a time; `section-links.tsx` lists the
// sections, each with a file. `operator-application-page.tsx` is the page of one application.

import type { ComponentType } from 'react'
import { useParams } from 'wouter'
import { operatorSections } from '../../../portal/pages/page-paths.ts'
import { Settled } from '../../components/settled.tsx'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { Page } from '../../layout/page.tsx'
import { ApplicationsSection } from './applications-section.tsx'
import { AuditDownload, AuditSection } from './audit-section.tsx'
import { AvailabilitySection } from './availability-section.tsx'
import { DevelopersSection } from './developers-section.tsx'
import { OverviewSection } from './overview-section.tsx'
import { PlansSection } from './plans-section.tsx'
import { RefusalsSection } from './refusals-section.tsx'
import { RequestsSection } from './requests-section.tsx'
import { OperatorFrame, type OperatorSection, sectionTitle } from './section-links.tsx'
import { SecurityEventsSection } from './security-events-section.tsx'
import { SignUpSection } from './sign-up-section.tsx'
import { TopApplicationsSection } from './top-applications-section.tsx'
import { VersionsSection } from './versions-section.tsx'

const sections: Readonly<Record<OperatorSection, ComponentType>> = {
  overview: OverviewSection,
  developers: DevelopersSection,
  applications: ApplicationsSection,
  requests: RequestsSection,
  plans: PlansSection,
  versions: VersionsSection,
  'top-applications': TopApplicationsSection,
  refusals: RefusalsSection,
  availability: AvailabilitySection,
  'sign-up': SignUpSection,
  audit: AuditSection,
  'security-events': SecurityEventsSection,
}

/** The operator's pages: one section at a time. */
export function OperatorPage() {
  const { section: named = 'overview' } = useParams<{ section?: string }>()
  const section = operatorSections.find((known) => known === named)
  if (section === undefined) return <NotFoundPage />
  const Section = sections[section]
  return (
    <OperatorFrame current={section}>
      {/* A new section is a new page: its heading takes the focus. */}
      <Page
        key={section}
        title={sectionTitle(section)}
        actions={section === 'audit' ? <AuditDownload /> : undefined}
        width="inner"
      >
        <Settled>
          <Section />
        </Settled>
      </Page>
    </OperatorFrame>
  )
}
