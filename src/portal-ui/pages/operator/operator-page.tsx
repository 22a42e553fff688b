import { Stack } from '@mantine/core'
import type { ComponentType } from 'react'
import { useParams } from 'wouter'
import { operatorSections } from '../../../gateway/portal/page-paths.ts'
import { NotFoundPage } from '../../layout/not-found-page.tsx'
import { Page } from '../../layout/page.tsx'
import { ApplicationsSection } from './applications-section.tsx'
import { AuditSection } from './audit-section.tsx'
import { DevelopersSection } from './developers-section.tsx'
import { RefusalsSection } from './refusals-section.tsx'
import { type OperatorSection, SectionLinks, sectionTitles } from './section-links.tsx'
import { SecurityEventsSection } from './security-events-section.tsx'
import { SignUpSection } from './sign-up-section.tsx'

const sections: Readonly<Record<OperatorSection, ComponentType>> = {
  developers: DevelopersSection,
  applications: ApplicationsSection,
  refusals: RefusalsSection,
  'sign-up': SignUpSection,
  audit: AuditSection,
  'security-events': SecurityEventsSection,
}

/** The operator's pages: one section at a time. */
export function OperatorPage() {
  const { section: named = 'developers' } = useParams<{ section?: string }>()
  const section = operatorSections.find((known) => known === named)
  if (section === undefined) return <NotFoundPage />
  const Section = sections[section]
  return (
    // A new section is a new page: its heading takes the focus.
    <Page key={section} title={sectionTitles[section]} lead="For operators of this gateway.">
      <Stack gap="lg">
        <SectionLinks current={section} />
        <Section />
      </Stack>
    </Page>
  )
}
