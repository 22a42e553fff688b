import type { FunctionComponent } from 'react'
import type { Application } from '../../../portal/api/schemas/applications.ts'
import type { ApplicationTab } from '../../tab-path.ts'
import { AlertsTab } from './alerts/alerts-tab.tsx'
import { CallsTab } from './calls/calls-tab.tsx'
import { UsageTab } from './calls/usage-tab.tsx'
import { KeysTab } from './keys/keys-tab.tsx'
import { OverviewTab } from './overview-tab.tsx'
import type { PageMemory } from './page-memory.ts'
import { SettingsTab } from './settings-tab.tsx'
import { SubscriptionsTab } from './subscriptions-tab.tsx'
import { TryTab } from './try/try-tab.tsx'

/** What a tab is given; each takes what it needs. */
export interface TabProps {
  readonly application: Application
  readonly applicationId: string
  readonly memory: PageMemory
}

/** The tabs of an application's page. */
export const tabs: Readonly<Record<ApplicationTab, FunctionComponent<TabProps>>> = {
  overview: OverviewTab,
  keys: KeysTab,
  subscriptions: SubscriptionsTab,
  usage: UsageTab,
  calls: CallsTab,
  playground: TryTab,
  alerts: AlertsTab,
  settings: SettingsTab,
}
