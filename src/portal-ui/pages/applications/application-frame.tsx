import type { ReactNode } from 'react'
import type { Application } from '../../../portal/api/schemas/applications.ts'
import { applicationTabs } from '../../../portal/pages/page-paths.ts'
import { Icon } from '../../components/icon.tsx'
import { SideBar } from '../../layout/side-bar.tsx'
import { type ApplicationTab, tabPath } from '../../tab-path.ts'
import { t } from '../../words.ts'
import { ApplicationSwitcher } from './application-switcher.tsx'
import { tabIcon, tabTitle } from './tab-words.ts'

export interface ApplicationFrameProps {
  readonly application: Application
  readonly current: ApplicationTab
  readonly children: ReactNode
}

/** An application's side bar: which application it is, and the links to its parts. */
export function ApplicationFrame({ application, current, children }: ApplicationFrameProps) {
  const { id } = application
  return (
    <SideBar
      label={t('application.parts')}
      items={applicationTabs.map((tab) => ({
        href: tabPath(id, tab),
        label: tabTitle(tab),
        icon: <Icon name={tabIcon(tab)} />,
      }))}
      current={tabPath(id, current)}
      hasCards
      top={<ApplicationSwitcher application={application} tab={current} />}
    >
      {children}
    </SideBar>
  )
}
