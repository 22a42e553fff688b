import { operatorSections, pagePaths } from '../../../gateway/portal/page-paths.ts'
import { PartLinks } from '../../components/part-links.tsx'

/** A section of the operator's pages. */
export type OperatorSection = (typeof operatorSections)[number]

/** What each section is called. */
export const sectionTitles: Readonly<Record<OperatorSection, string>> = {
  developers: 'Developers',
  applications: 'Applications',
  refusals: 'Refused calls',
  'sign-up': 'Sign-up',
  audit: 'Audit log',
}

/** Where a section is. @param search what it is to look for */
export function sectionPath(section: OperatorSection, search = ''): string {
  const path = section === 'developers' ? pagePaths.operator : `${pagePaths.operator}/${section}`
  return search === '' ? path : `${path}?${new URLSearchParams({ search })}`
}

/** The sections of the operator's pages. */
export function SectionLinks({ current }: { readonly current: OperatorSection }) {
  return (
    <PartLinks
      label="Operator"
      parts={operatorSections}
      current={current}
      titles={sectionTitles}
      path={(section) => sectionPath(section)}
    />
  )
}
