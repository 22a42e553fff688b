import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Logger } from '../../platform/log/log.ts'
import { repeatedly } from '../../platform/process/repeatedly.ts'
import type { PublishedConfigurations } from '../../registry/processes/published-configurations.ts'
import type { Published } from '../edge/published.ts'

const everyMs = 60_000

export interface KeepPublishedOptions {
  readonly store: Pick<PublishedConfigurations, 'published' | 'used'>
  readonly current: () => Published
  readonly log: Pick<Logger, 'warn'>
}

/** Keeps the registry informed of what this process publishes. */
export interface KeptPublished {
  /** Call it after a reload. */
  changed(): void
  close(): Promise<void>
}

/** Notes the active configuration, at once and as long as the process lives, so that `tollgate plan` can compare with it. */
export function keepPublished({ store, current, log }: KeepPublishedOptions): KeptPublished {
  let noted: Catalogue | undefined

  async function note(): Promise<void> {
    const { catalogue } = current()
    if (noted === catalogue) {
      await store.used(catalogue)
      return
    }
    await store.published(catalogue)
    noted = catalogue
  }

  const repetition = repeatedly({
    everyMs,
    work: note,
    // The next run notes it.
    onFailure: (err) => log.warn({ err }, 'the active configuration is not noted'),
  })
  return { changed: () => repetition.now(), close: () => repetition.close() }
}
