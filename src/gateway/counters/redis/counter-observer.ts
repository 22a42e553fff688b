/** Why a server is not used; the values of the metric label `cause`. */
export const awayCauses = [
  /** The connection ended or could not be made. */
  'disconnected',
  /** It does not reply in time. */
  'silent',
  /** It replies with errors. */
  'refusing',
  /** It lost its counters, or replaced a server that may have counted more. */
  'lost_counters',
] as const
export type AwayCause = (typeof awayCauses)[number]

/** Receives the events of a counter on Redis, for metrics. Must be cheap, because some events occur once per call. */
export interface CounterObserver {
  /** A server replied to a request, this number of seconds after it. */
  answered(seconds: number): void
  /** A server decides its calls again, or each process now decides alone. Called once per cluster node. */
  switched(to: 'shared' | 'local', cause: AwayCause | 'recovered'): void
  /** The number of processes that admit calls, and the maximum that the settings name. */
  processes(seen: number, configured: number): void
  /**
   * This number of calls timed out, and their outage policy decided. The window
   * loses what the store may have granted them.
   */
  forfeited(calls: number): void
}

/** Ignores every event. */
export const noObserver: CounterObserver = {
  answered: () => undefined,
  switched: () => undefined,
  processes: () => undefined,
  forfeited: () => undefined,
}
