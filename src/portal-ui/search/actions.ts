import type { Words } from '../../messages/format.ts'
import { pagePaths } from '../../portal/pages/page-paths.ts'
import { type ApplicationTab, tabPath } from '../tab-path.ts'

/** Something to do on the portal, and where. */
export interface Action {
  readonly title: string
  readonly href: string
}

export interface ActionsOptions {
  /** The application whose pages do it; undefined without one. */
  readonly applicationId: string | undefined
  readonly isSignedIn: boolean
  readonly hasSandbox: boolean
  readonly t: Words['t']
}

/** What a reader can do, whether or not signed in: the page then asks. */
export function actionsOf({ applicationId, isSignedIn, hasSandbox, t }: ActionsOptions): Action[] {
  const at = (tab: ApplicationTab) =>
    applicationId === undefined ? pagePaths.applications : tabPath(applicationId, tab)
  return [
    ...(isSignedIn
      ? []
      : [
          { title: t('search.action.createAccount'), href: pagePaths.signUp },
          { title: t('search.action.resetPassword'), href: pagePaths.reset },
        ]),
    { title: t('search.action.createApplication'), href: pagePaths.applications },
    { title: t('search.action.createKey'), href: at('keys') },
    { title: t('search.action.rotateKey'), href: at('keys') },
    { title: t('search.action.revokeKey'), href: at('keys') },
    { title: t('search.action.allowAddresses'), href: at('keys') },
    { title: t('search.action.subscribe'), href: at('subscriptions') },
    { title: t('search.action.changePlan'), href: at('subscriptions') },
    { title: t('search.action.move'), href: at('subscriptions') },
    { title: t('search.action.askForMore'), href: at('usage') },
    { title: t('search.action.seeUsage'), href: at('usage') },
    { title: t('search.action.findCall'), href: at('calls') },
    { title: t('search.action.makeCall'), href: at('playground') },
    { title: t('search.action.addWebhook'), href: at('alerts') },
    { title: t('search.action.setAlerts'), href: at('alerts') },
    { title: t('search.action.addCertificate'), href: at('settings') },
    { title: t('search.action.setOrigins'), href: at('settings') },
    { title: t('search.action.deleteApplication'), href: at('settings') },
    { title: t('search.action.changePassword'), href: pagePaths.profile },
    { title: t('search.action.secondFactor'), href: pagePaths.profile },
    { title: t('search.action.downloadData'), href: pagePaths.profile },
    { title: t('search.action.deleteAccount'), href: pagePaths.profile },
    ...(hasSandbox ? [{ title: t('search.action.customers'), href: pagePaths.sandbox }] : []),
  ]
}
