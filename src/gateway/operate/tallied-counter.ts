import { Counter, type CounterConfiguration } from 'prom-client'

/** One series of a counter. */
export interface Tally {
  count: number
}

/** A counter whose series are counted outside of it. */
export interface TalliedCounter<Label extends string> {
  /** Makes a series; once for each set of values. */
  series(labels: Readonly<Record<Label, string>>): Tally
}

/**
 * Creates a Prometheus counter that reads its series when it is scraped.
 * prom-client finds a series anew by the text of its labels with every
 * increment, which costs a call more than its decision does; adding to a number
 * costs nothing.
 */
export function createTalliedCounter<Label extends string>(
  configuration: CounterConfiguration<Label>,
): TalliedCounter<Label> {
  const all: { readonly labels: Readonly<Record<Label, string>>; readonly tally: Tally }[] = []
  new Counter<Label>({
    ...configuration,
    collect() {
      this.reset()
      for (const { labels, tally } of all) this.inc(labels, tally.count)
    },
  })
  return {
    series(labels) {
      const tally = { count: 0 }
      all.push({ labels, tally })
      return tally
    },
  }
}
