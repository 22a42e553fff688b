/** The counters could not be read because their store did not answer. The cause has details. */
export class StoreUnavailableError extends Error {
  readonly code = 'STORE_UNAVAILABLE'

  constructor(options: ErrorOptions) {
    super('Redis, which holds the counters, does not answer', options)
    this.name = 'StoreUnavailableError'
  }
}
