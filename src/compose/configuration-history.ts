import { summaryOf } from '../catalogue/configuration-summary.ts'
import {
  type Configurations,
  noPlace,
  type ServedConfiguration,
} from '../registry/processes/configurations.ts'
import type { Publisher, Replacement } from './publisher.ts'

/** Records in the registry which configurations this process activates, so that each change is audited once. */
export interface ConfigurationHistory {
  /** Reports what is new. Repeat it: it also reports what it could not report before. */
  tell(): Promise<void>
}

export interface ConfigurationHistoryOptions {
  readonly configurations: Configurations
  readonly publisher: Pick<Publisher, 'current' | 'onJudged'>
}

export function createConfigurationHistory(
  options: ConfigurationHistoryOptions,
): ConfigurationHistory {
  const { configurations, publisher } = options
  let untold: readonly ServedConfiguration[] = []
  let place = noPlace

  publisher.onJudged((replacement) => {
    if (replacement === undefined) return
    if (replacement.before.digest === replacement.catalogue.digest) return
    untold = [...untold, servedBy(replacement)]
  })

  return {
    async tell() {
      for (let next = untold[0]; next !== undefined; next = untold[0]) {
        place = await configurations.replaced(next, place)
        untold = untold.slice(1)
      }
      const { catalogue } = publisher.current()
      const newest = await configurations.newest()
      if (newest?.digest === catalogue.digest) place = newest.id
      else {
        const served = servedBy({ catalogue, cause: { how: 'start', by: 'system' } })
        place = await configurations.served(served, place)
      }
    },
  }
}

function servedBy({ catalogue, cause }: Omit<Replacement, 'before'>): ServedConfiguration {
  return {
    digest: catalogue.digest,
    summary: () => summaryOf(catalogue),
    by: cause.by,
    detail: { ...cause.detail, how: cause.how },
  }
}
