import type { Logger } from '../../platform/log/log.ts'
import type { SealedSecrets } from '../stores/accounts/sealed-secrets.ts'
import { reSealedByKind, type SealingSecrets } from './sealed-kinds.ts'

export interface ReSealOptions {
  readonly store: SealedSecrets
  readonly secrets: SealingSecrets
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/**
 * Encrypts what outlives a SESSION_SECRET with the newest one, so that older
 * ones can go: secrets of authenticator apps and of webhooks. Never throws.
 *
 * @returns how many secrets it moved; undefined after a failure, which it logs
 */
export async function reSeal({ store, secrets, log }: ReSealOptions): Promise<number | undefined> {
  let moved = 0
  try {
    for (const secret of await store.list()) {
      const sealed = reSealedByKind(secrets, secret)
      if (sealed === undefined) continue
      await store.replace(secret, sealed)
      moved += 1
    }
  } catch (err) {
    log.warn({ err, moved }, 'some secrets stay under an older SESSION_SECRET for now')
    return undefined
  }
  if (moved > 0) log.info({ moved }, 'secrets moved to the newest SESSION_SECRET')
  return moved
}

/** Moves secrets in the background. */
export interface ReSealing {
  /** Moves them now, and again every `everyMs` until a pass moves none. */
  start(): void
  close(): Promise<void>
}

/** Creates the timer around {@link reSeal}. One pass runs at a time. */
export function createReSealing({
  everyMs = 60_000,
  ...options
}: ReSealOptions & {
  /** (Default: 60,000) */
  readonly everyMs?: number
}): ReSealing {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let passes: Promise<void> = Promise.resolve()

  async function pass(): Promise<void> {
    clearTimeout(timer)
    if (isClosed) return
    const moved = await reSeal(options)
    // Another process with an older SESSION_SECRET may seal one more meanwhile.
    if (moved === 0 || isClosed) return
    timer = setTimeout(start, everyMs).unref()
  }

  function start(): void {
    passes = passes.then(pass)
  }

  return {
    start,
    close() {
      isClosed = true
      clearTimeout(timer)
      return passes
    },
  }
}
