import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { applicationTabs } from '../../../gateway/portal/page-paths.ts'
import classes from './applications.module.css'
import { type ApplicationTab, tabPath } from './tab-path.ts'

/** What each tab is called. */
export const tabTitles: Readonly<Record<ApplicationTab, string>> = {
  keys: 'Keys',
  subscriptions: 'Subscriptions',
  usage: 'Usage',
  calls: 'Calls',
  try: 'Try it',
}

export interface TabLinksProps {
  readonly applicationId: string
  readonly current: ApplicationTab
}

/** The tabs of an application as links: each has an address of its own. */
export function TabLinks({ applicationId, current }: TabLinksProps) {
  const bar = useRef<HTMLElement>(null)

  // On a narrow screen the current one may be outside of what shows.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tab that shows decides, not the element
  useEffect(() => {
    const link = bar.current?.querySelector('[aria-current]')
    link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])

  return (
    <nav ref={bar} aria-label="Parts of this application" className={classes['tabs']}>
      {applicationTabs.map((tab) => (
        <Link
          key={tab}
          href={tabPath(applicationId, tab)}
          className={classes['tab']}
          aria-current={tab === current ? 'page' : undefined}
        >
          {tabTitles[tab]}
        </Link>
      ))}
    </nav>
  )
}
