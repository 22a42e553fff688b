import type { applicationTabs } from '../portal/pages/page-paths.ts'

/** A tab of an application's page. */
export type ApplicationTab = (typeof applicationTabs)[number]

/** Path of a tab of an application's page. */
export function tabPath(id: string, tab: ApplicationTab): string {
  const page = `/applications/${encodeURIComponent(id)}`
  return tab === 'overview' ? page : `${page}/${tab}`
}
