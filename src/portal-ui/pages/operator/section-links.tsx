import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { operatorSections, pagePaths } from '../../../gateway/portal/page-paths.ts'
import classes from './operator.module.css'

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

/** The sections as links: each has an address of its own. */
export function SectionLinks({ current }: { readonly current: OperatorSection }) {
  const bar = useRef<HTMLElement>(null)

  // On a narrow screen the current one may be outside of what shows.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the section that shows decides, not the element
  useEffect(() => {
    const link = bar.current?.querySelector('[aria-current]')
    link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])

  return (
    <nav ref={bar} aria-label="Operator" className={classes['tabs']}>
      {operatorSections.map((section) => (
        <Link
          key={section}
          href={sectionPath(section)}
          className={classes['tab'] ?? ''}
          aria-current={section === current ? 'page' : undefined}
        >
          {sectionTitles[section]}
        </Link>
      ))}
    </nav>
  )
}
