import { folderState } from '../catalogue/folder-state.ts'
import type { Lifetime } from '../platform/lifetime.ts'
import type { Settings } from '../platform/settings.ts'
import type { Publisher } from './publisher.ts'

export interface WatchConfigurationOptions {
  readonly settings: Pick<Settings, 'configDir'>
  /** What {@link folderState} said before the configuration was loaded. */
  readonly loaded: string
  readonly publisher: Pick<Publisher, 'reload'>
  readonly lifetime: Lifetime
  /** Interval between two looks. (Default: 2000) */
  readonly everyMs?: number
}

/**
 * Loads the configuration again after its files have changed. It looks every
 * two seconds, because network file systems send no events and Kubernetes
 * changes a link two folders above the files. A change counts once it has
 * lasted from one look to the next: files are written one after the other.
 */
export function watchConfiguration(options: WatchConfigurationOptions): void {
  const { settings, loaded, publisher, lifetime, everyMs = 2_000 } = options
  let judged = loaded
  let pending: string | undefined
  let looking: Promise<void> = Promise.resolve()

  async function look(): Promise<void> {
    const found = await folderState(settings.configDir)
    if (found === judged) pending = undefined
    else if (found !== pending) pending = found
    else {
      judged = found
      pending = undefined
      await publisher.reload({ how: 'watch', by: 'system' })
    }
  }

  const timer = setInterval(() => {
    looking = looking.then(look)
  }, everyMs).unref()
  lifetime.opened(async () => {
    clearInterval(timer)
    await looking
  })
}
