import { folderState } from '../catalogue/folder-state.ts'
import type { Lifetime } from '../platform/process/lifetime.ts'
import type { Settings } from '../platform/settings/settings.ts'
import type { Publisher } from './publisher.ts'

export interface WatchConfigurationOptions {
  readonly settings: Pick<Settings, 'configDir'>
  /** What {@link folderState} said before the configuration was loaded. */
  readonly loaded: string
  readonly publisher: Pick<Publisher, 'reload' | 'state'>
  readonly lifetime: Lifetime
  /** Interval between two looks. (Default: 2000) */
  readonly everyMs?: number
}

/** Looks between two attempts, after failures that no file is to blame for. */
const skippedMax = 32

/**
 * Loads the configuration again after its files have changed. It looks every
 * two seconds, because network file systems send no events and Kubernetes
 * changes a link two folders above the files. A change counts once it has
 * lasted from one look to the next: files are written one after the other. A
 * load that fails for a reason outside the files is tried again, less and less often.
 */
export function watchConfiguration(options: WatchConfigurationOptions): void {
  const { settings, loaded, publisher, lifetime, everyMs = 2_000 } = options
  let judged = loaded
  let pending: string | undefined
  let skipping = 0
  let failures = 0
  let looking: Promise<void> = Promise.resolve()

  async function load(): Promise<void> {
    await publisher.reload({ how: 'watch', by: 'system' })
    failures = publisher.state().isTransient ? failures + 1 : 0
    skipping = failures === 0 ? 0 : Math.min(2 ** (failures - 1), skippedMax)
  }

  async function tryAgain(): Promise<void> {
    if (!publisher.state().isTransient) return
    if (skipping > 0) skipping -= 1
    else await load()
  }

  async function look(): Promise<void> {
    const found = await folderState(settings.configDir)
    if (found === judged) {
      pending = undefined
      await tryAgain()
    } else if (found !== pending) pending = found
    else {
      judged = found
      pending = undefined
      failures = 0
      await load()
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
