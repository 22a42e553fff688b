import type { Application } from '../../../portal/api/schemas/applications.ts'
import { type LazyPage, lazyPage } from '../../lazy-page.tsx'
import type { ApplicationTab } from '../../tab-path.ts'
import type { PageMemory } from './page-memory.ts'

/** What a tab is given; each takes what it needs. */
export interface TabProps {
  readonly application: Application
  readonly applicationId: string
  readonly memory: PageMemory
}

/** The tabs of an application's page, each in a script of its own. */
export const tabs: Readonly<Record<ApplicationTab, LazyPage<TabProps>>> = {
  overview: lazyPage(() => import('./overview-tab.tsx'), 'OverviewTab'),
  keys: lazyPage(() => import('./keys/keys-tab.tsx'), 'KeysTab'),
  subscriptions: lazyPage(() => import('./subscriptions-tab.tsx'), 'SubscriptionsTab'),
  usage: lazyPage(() => import('./calls/usage-tab.tsx'), 'UsageTab'),
  calls: lazyPage(() => import('./calls/calls-tab.tsx'), 'CallsTab'),
  playground: lazyPage(() => import('./try/try-tab.tsx'), 'TryTab'),
  alerts: lazyPage(() => import('./alerts/alerts-tab.tsx'), 'AlertsTab'),
  settings: lazyPage(() => import('./settings-tab.tsx'), 'SettingsTab'),
}

/**
 * Loads a tab at once, and the others when the browser has nothing else to do,
 * so that a change of the tab shows it in the same frame.
 */
export async function loadTabs(first: ApplicationTab): Promise<void> {
  await tabs[first].load()
  await idle()
  for (const tab of Object.values(tabs)) await tab.load()
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari has no such call.
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve())
    else setTimeout(resolve, 200)
  })
}
