import { operatorSections, pagePaths } from '../../../gateway/portal/page-paths.ts'
import { PartLinks } from '../../components/part-links.tsx'

/** A section of the operator's pages. */
export type OperatorSection = (typeof operatorSections)[number]

/** Title of each section. */
export const sectionTitles: Readonly<Record<OperatorSection, string>> = {
  developers: 'Developers',
  applications: 'Applications',
  refusals: 'Refused calls',
  'sign-up': 'Sign-up',
  audit: 'Audit log',
  'security-events': 'Security events',
}

/** Path of a section. @param filter what its fields shall say, by their names in the address */
export function sectionPath(
  section: OperatorSection,
  filter?: Readonly<Record<string, string>>,
): string {
  const path = section === 'developers' ? pagePaths.operator : `${pagePaths.operator}/${section}`
  return filter === undefined ? path : `${path}?${new URLSearchParams(filter)}`
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
