import { Histogram, type HistogramConfiguration } from 'prom-client'

/** One series of a histogram. */
export interface Observations {
  observe(value: number): void
}

/** A histogram whose series are plain objects outside prom-client. */
export interface TalliedHistogram {
  /** Creates a series. Call once per set of label values. */
  series(labels: Readonly<Record<string, string>>): Observations
}

export interface TalliedHistogramConfiguration extends HistogramConfiguration<string> {
  /** Upper bounds, ascending. */
  readonly buckets: number[]
}

/** Creates a Prometheus histogram whose observations cost nanoseconds; see `tallied-counter.ts`. */
export function createTalliedHistogram(
  configuration: TalliedHistogramConfiguration,
): TalliedHistogram {
  return new Tallied(configuration)
}

class Series implements Observations {
  readonly #labels: Readonly<Record<string, string>>
  readonly #bounds: readonly number[]
  /** One per bound and one for larger values; not cumulative. */
  readonly #counts: number[]
  #sum = 0

  constructor(labels: Readonly<Record<string, string>>, bounds: readonly number[]) {
    this.#labels = labels
    this.#bounds = bounds
    this.#counts = Array<number>(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    const bounds = this.#bounds
    let at = 0
    while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sum += value
  }

  /** As prom-client lists them: cumulative buckets, sum, count. */
  values(name: string) {
    const sharedLabels = this.#labels
    let count = 0
    const buckets = this.#counts.map((counted, at) => {
      count += counted
      const le = this.#bounds[at] ?? '+Inf'
      return { metricName: `${name}_bucket`, labels: { le }, sharedLabels, value: count }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: {}, sharedLabels, value: this.#sum },
      { metricName: `${name}_count`, labels: {}, sharedLabels, value: count },
    ]
  }
}

class Tallied extends Histogram implements TalliedHistogram {
  readonly #configuration: TalliedHistogramConfiguration
  readonly #series: Series[] = []

  constructor(configuration: TalliedHistogramConfiguration) {
    super(configuration)
    this.#configuration = configuration
  }

  series(labels: Readonly<Record<string, string>>): Observations {
    const series = new Series(labels, this.#configuration.buckets)
    this.#series.push(series)
    return series
  }

  /** The data from which prom-client makes its text and its JSON. */
  getForPromString() {
    const { name, help } = this.#configuration
    const values = this.#series.flatMap((series) => series.values(name))
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values })
  }
}
