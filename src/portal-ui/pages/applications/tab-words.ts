import type { MessageId } from '../../../messages/format.ts'
import type { IconName } from '../../components/icon.tsx'
import type { ApplicationTab } from '../../tab-path.ts'
import { t } from '../../words.ts'

/** Name and picture of each part of an application. */
const parts: Readonly<Record<ApplicationTab, { title: MessageId; icon: IconName }>> = {
  overview: { title: 'tab.overview', icon: 'grid' },
  keys: { title: 'tab.keys', icon: 'key' },
  subscriptions: { title: 'tab.subscriptions', icon: 'paper' },
  usage: { title: 'tab.usage', icon: 'gauge' },
  calls: { title: 'tab.calls', icon: 'list' },
  playground: { title: 'tab.playground', icon: 'play' },
  alerts: { title: 'tab.alerts', icon: 'bell' },
  settings: { title: 'tab.settings', icon: 'gear' },
}

export function tabTitle(tab: ApplicationTab): string {
  return t(parts[tab].title)
}

export function tabIcon(tab: ApplicationTab): IconName {
  return parts[tab].icon
}
