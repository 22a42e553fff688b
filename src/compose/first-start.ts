import type { DataFolder } from '../platform/database/data-folder.ts'
import { prepareDatabaseFolder } from '../platform/database/database-folder.ts'
import type { Logger } from '../platform/log/log.ts'
import type { Role, Settings } from '../platform/settings/settings.ts'
import type { PageFiles } from '../portal/pages/open-page.ts'

export interface FirstStartOptions {
  readonly settings: Settings
  readonly roles: ReadonlySet<Role>
  readonly dataFolder: DataFolder | undefined
  readonly log: Logger
}

/**
 * Makes what only a first start lacks: the portal's page and the files of an
 * embedded database. Child processes do it. They need much memory, so they run
 * one after the other and before this process has loaded its own code.
 *
 * @returns the page, if this process serves it
 */
export async function prepareFirstStart(
  options: FirstStartOptions,
): Promise<PageFiles | undefined> {
  const { settings, roles, dataFolder, log } = options
  let page: PageFiles | undefined
  if (roles.has('portal')) {
    const { openPage } = await import('../portal/pages/open-page.ts')
    page = await openPage({ log })
  }
  if (settings.databaseUrl === undefined && dataFolder !== undefined) {
    await prepareDatabaseFolder(dataFolder.path)
  }
  return page
}
