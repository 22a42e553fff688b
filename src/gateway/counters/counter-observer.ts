/** Why a server is not asked; the values of the metric label `cause`. */
export const awayCauses = [
  /** The connection ended or could not be made. */
  'disconnected',
  /** It does not answer in time. */
  'silent',
  /** It answers with errors. */
  'refusing',
  /** It forgot its counters, or was put in the place of one that may remember more. */
  'lost_counters',
  /** It must not hold counters. */
  'unsuitable',
] as const
export type AwayCause = (typeof awayCauses)[number]

/** Is told what a counter on Redis goes through; for metrics. Cheap, for some of it is told once a call. */
export interface CounterObserver {
  /** A server answered a request after so many seconds. */
  answered(seconds: number): void
  /** Calls on a server are decided by it again, or by each process alone. Once for each node of a cluster. */
  switched(to: 'shared' | 'local', cause: AwayCause | 'recovered'): void
  /** So many processes admit calls, and the settings say that there are at most so many. */
  processes(seen: number, configured: number): void
  /** So many calls were asked about, not answered in time, and decided by their outage policy; what was granted to them is lost to nobody's use. */
  forfeited(calls: number): void
}

/** Looks away. */
export const noObserver: CounterObserver = {
  answered: () => undefined,
  switched: () => undefined,
  processes: () => undefined,
  forfeited: () => undefined,
}
