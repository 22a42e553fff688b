import { Gauge, type Registry } from 'prom-client'

/** Shows whether the repeated jobs of a process succeed in time. */
export interface JobMetrics {
  /** A job that must succeed at this interval, starting now. Call the result after each success. */
  watch(job: string, everyMs: number): () => void
}

/** @param monotonic milliseconds (Default: those of Node) */
export function createJobMetrics(
  registry: Registry,
  monotonic: () => number = () => performance.now(),
): JobMetrics {
  const dueAt = new Map<string, number>()
  new Gauge({
    name: 'gateway_job_overdue_seconds',
    help: 'Time since a repeated job of the process should have succeeded again; 0 in time',
    labelNames: ['task'],
    registers: [registry],
    collect() {
      for (const [job, at] of dueAt) this.set({ task: job }, Math.max(0, monotonic() - at) / 1000)
    },
  })
  return {
    watch(job, everyMs) {
      // A run takes time, too.
      const succeeded = (): void => void dueAt.set(job, monotonic() + 2 * everyMs)
      succeeded()
      return succeeded
    },
  }
}
