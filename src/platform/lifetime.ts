import type { Logger } from './log.ts'

/** Closes what was opened, last first: what came later may use what came earlier. */
export interface Lifetime {
  /** Notes how to close something that is open now. */
  opened(close: () => Promise<void> | void): void
  /** Closes everything once; a second call waits for the first. All are closed even if one fails; then the first failure is thrown. */
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

/** Starts something that opens one thing after another. When one step fails, everything opened before it is closed, and the failure is thrown. */
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
