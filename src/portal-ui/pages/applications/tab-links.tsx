import { applicationTabs } from '../../../gateway/portal/page-paths.ts'
import { PartLinks } from '../../components/part-links.tsx'
import { type ApplicationTab, tabPath } from '../../tab-path.ts'

/** Title of each tab. */
export const tabTitles: Readonly<Record<ApplicationTab, string>> = {
  keys: 'Keys',
  subscriptions: 'Subscriptions',
  usage: 'Usage',
  calls: 'Calls',
  try: 'Try it',
  settings: 'Settings',
}

export interface TabLinksProps {
  readonly applicationId: string
  readonly current: ApplicationTab
}

/** The tabs of an application. */
export function TabLinks({ applicationId, current }: TabLinksProps) {
  return (
    <PartLinks
      label="Parts of this application"
      parts={applicationTabs}
      current={current}
      titles={tabTitles}
      path={(tab) => tabPath(applicationId, tab)}
    />
  )
}
