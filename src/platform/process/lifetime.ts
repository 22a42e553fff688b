// This folder runs a process between its start and its end. Read this file first: it closes what was opened, in reverse
// order. `repeatedly.ts` and `queue-worker.ts` run jobs, `management.ts` serves metrics and health, and
// `load-gauges.ts` (with `pool-load.ts`), `store-gauge.ts` and `job-metrics.ts` measure the process.
// `package-version.ts` and `join-roles.ts` say which program and which roles run. `short-lived.ts` and
// `collect-when-idle.ts` tune V8. What a job does is its caller's.

import type { Logger } from '../log/log.ts'

/** Closes resources in reverse order of opening, because later ones may use earlier ones. */
export interface Lifetime {
  /** Registers how to close an opened resource. */
  opened(close: () => Promise<void> | void): void
  /**
   * Closes everything once; a second call waits for the first. Closes all
   * resources even if one fails, then throws the first failure.
   */
  close(): Promise<void>
}

export function createLifetime(): Lifetime {
  const closers: (() => Promise<void> | void)[] = []
  let closing: Promise<void> | undefined

  async function closeAll(): Promise<void> {
    const failures: unknown[] = []
    for (const close of closers.toReversed()) {
      try {
        await close()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  return {
    opened: (close) => void closers.push(close),
    close() {
      closing ??= closeAll()
      return closing
    },
  }
}

/** Runs a startup that opens several resources. If a step fails, closes everything opened before and throws the failure. */
export async function startWithin<Started>(
  { log }: { readonly log: Pick<Logger, 'warn'> },
  start: (lifetime: Lifetime) => Promise<Started>,
): Promise<Started> {
  const lifetime = createLifetime()
  try {
    return await start(lifetime)
  } catch (error) {
    await lifetime.close().catch((closing: unknown) => {
      log.warn({ err: closing }, 'closing after a failed start failed')
    })
    throw error
  }
}
